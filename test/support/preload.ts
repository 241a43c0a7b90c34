// Runs around the whole test run: ends what tests share.
import { afterAll } from 'bun:test';
import { cleanUp } from './engines.ts';

afterAll(cleanUp);
