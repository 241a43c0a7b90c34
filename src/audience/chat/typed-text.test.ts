// What is left of typed text, and how long it is.
import { describe, expect, test } from 'bun:test';
import { typedText } from './typed-text.ts';

describe('typed text', () => {
  test('keeps what was typed, without control characters and outer space', () => {
    expect(typedText('  <b>好 👋🏽</b>\u0000\n\rtwo ', 100)).toBe('<b>好 👋🏽</b> two');
    expect(typedText(' \t\n ', 10)).toBe('');
    expect(typedText('\u200B\u202E\u3164', 10)).toBe('');
  });

  test('is measured in characters, not in halves of them', () => {
    expect(typedText('👋'.repeat(32), 32)).toBe('👋'.repeat(32));
    expect(typedText('👋'.repeat(33), 32)).toBeUndefined();
    expect(typedText('a'.repeat(33), 32)).toBeUndefined();
  });
});
