// What the settings' checks refuse, and what they must not repeat.
import { expect, test } from 'bun:test';
import { readConfig } from './config.ts';

test.each([
  'postgres://user:a#secret@localhost/db',
  'postgres://user:12#secret@localhost/db',
  'postgres://user:secret@localhost:99999/db',
])('the database address %j is refused without being repeated', (address) => {
  const read = () => readConfig({ DATABASE_URL: address });
  expect(read).toThrow('DATABASE_URL must be an address such as postgres://');
  expect(read).not.toThrow('secret');
});

test.each([
  '',
  'postgres://user:a%23b@localhost:5432/db',
  'postgresql://localhost/db?sslmode=require',
  'postgres://user:password@/db?host=/var/run/postgresql',
  'postgres://%2Fvar%2Frun/db',
])('the database address %j is taken', (address) => {
  expect(readConfig({ DATABASE_URL: address }).databaseUrl).toBe(address);
});
