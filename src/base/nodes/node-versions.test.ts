import { expect, test } from 'bun:test';
import { runSideBySide } from './node-versions.ts';

test.each([
  ['1.2.3', '1.2.3', true],
  ['1.2.3', '1.2.9', true],
  ['1.2.3', '1.3.0', true],
  ['1.3.0-beta.1', '1.2.3', true],
  ['1.2.3', '1.4.0', false],
  ['1.9.0', '2.0.0', false],
  ['1.2.3', '', false],
  ['1.2.3', 'ours', false],
])('%s and %s: %p', (own, other, isSo) => {
  expect(runSideBySide(own, other)).toBe(isSo);
  expect(runSideBySide(other, own)).toBe(isSo);
});
