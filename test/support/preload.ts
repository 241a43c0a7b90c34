// Runs around every file of tests: how long a test may take, and the end of what tests share.
import { afterAll, setDefaultTimeout } from 'bun:test';
import { cleanUp } from './engines.ts';

// For one that hangs. How long one takes is the machine's doing: a starved one gave a test of ten seconds three minutes.
setDefaultTimeout(600_000);
afterAll(cleanUp);
