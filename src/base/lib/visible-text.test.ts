// What is left of a text that hides, turns around or piles up, and what must not be taken for that.
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { visibleText } from './visible-text.ts';

describe('what only hides goes', () => {
  test.each([
    ['an override', 'a\u202Egnp.exe\u202C', 'agnp.exe'],
    ['isolates', '\u2066\u2067a\u2068b\u2069', 'ab'],
    ['direction marks', '\u200Fa\u200Eb\u061C', 'ab'],
    ['zero-width blanks', 'a\u200Bb\u2060c\uFEFFd', 'abcd'],
    ['a soft hyphen', 'ad\u00ADmin', 'admin'],
    ['joiners between Latin letters', 'ad\u200Dmin\u200C', 'admin'],
    ['a joiner between emoji and a word', '👍\u200Dok', '👍ok'],
    ['joiners in a row', 'می\u200C\u200C\u200Cخواهم', 'می\u200Cخواهم'],
    ['Hangul fillers', '\u3164\uFFA0\u115F\u1160', ''],
    ['the blank of Braille', '\u2800\u2800', ''],
    ['tags without a flag', 'hi\u{E0068}\u{E0069}', 'hi'],
    ['tags behind a flag that spell no country', '🏴\u{E0067}\u{E0062}\u{E007A}\u{E007F}', '🏴'],
    ['variation selectors out of place', 'a\uFE0Fb\u{E0101}1\uFE0F', 'ab1'],
    ['a second variation selector', '❤\uFE0F\uFE0F', '❤\uFE0F'],
    ['notes between lines', 'a\uFFF9b\uFFFAc\uFFFB', 'abc'],
    ['a character that is none', 'a\uFFFFb\u{1FFFE}', 'ab'],
    ['signs without a letter', '\u0301\u0302 a', 'a'],
    ['a pile of signs', `Z${'\u0351'.repeat(40)}A`, `Z${'\u0351'.repeat(4)}A`],
    ['a pile with joiners in it', `क${'\u094D\u200D'.repeat(40)}`, `क${'\u094D\u200D'.repeat(4)}`],
    ['half a character', 'a\uD83Db', 'a\uFFFDb'],
    ['all but blanks', '\u200B \u202E \u3164', ''],
  ])('%s', (_, text, left) => {
    expect(visibleText(text)).toBe(left);
  });
});

test('blanks are one, and what breaks a line is one', () => {
  expect(visibleText('  a\r\n\tb\u2028c\u00A0\u3000d\u0000 ')).toBe('a b c d');
  expect(visibleText('你好\u3000世界')).toBe('你好\u3000世界');
});

describe('what people write stays', () => {
  test.each([
    ['Persian', 'می‌خواهم'],
    ['Hindi with joiners', 'क्‍ष क्‌ष'],
    ['Sinhala', 'ශ්‍රී ලංකා'],
    ['Malayalam with a joiner at the end', 'അവന്‍'],
    ['Bengali', 'র‍্যাব'],
    ['Thai', 'น้ำใจผู้ใหญ่'],
    ['Hebrew with points and accents', 'בְּרֵאשִׁ֖ית'],
    ['Vietnamese in pieces', 'Việt'.normalize('NFD')],
    ['Tibetan', 'བསྒྲུབས'],
    ['Japanese with a registered variant', '葛\u{E0100}飾区'],
    ['Mongolian', 'ᠪᠠ\u180Bᠨ'],
    ['Korean', '안녕하세요'],
    ['a family', '👨‍👩‍👧‍👦'],
    ['skins', '👍🏽👩🏿‍🚀'],
    ['a rainbow flag', '🏳️‍🌈🏴‍☠️'],
    ['flags of countries', '🇩🇪🇨🇳'],
    ['flags that are spelt out', '🏴󠁧󠁢󠁥󠁮󠁧󠁿🏴󠁧󠁢󠁳󠁣󠁴󠁿🏴󠁧󠁢󠁷󠁬󠁳󠁿'],
    ['keys', '1️⃣#️⃣'],
    ['a heart and a plain one', '❤️❤︎'],
    ['Arabic, right to left', 'مرحبا بالعالم'],
  ])('%s', (_, text) => {
    expect(visibleText(text)).toBe(text);
  });
});

/** Often what the rules are about, in any order. */
const hostile = fc.string({
  unit: fc.oneof(
    fc.constantFrom(
      ...[
        '\u200B',
        '\u200C',
        '\u200D',
        '\u202E',
        '\u2066',
        '\uFE0F',
        '\uFE00',
        '\u{E0100}',
        '\u3164',
      ],
      ...[
        '\u{E0067}',
        '\u{E007F}',
        '\u0301',
        '\u094D',
        '\u064B',
        '\u180B',
        '\u2800',
        '\u20E3',
        '\uD83D',
      ],
      ...['a', '1', ' ', 'م', 'क', '葛', '👍', '🏽', '🏴', '🇩', 'ᠪ', '\n'],
    ),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
  ),
});

test('whatever comes, what is left is left as it is, and holds nothing that turns the line', () => {
  fc.assert(
    fc.property(hostile, (text) => {
      const left = visibleText(text);
      expect(visibleText(left)).toBe(left);
      expect(left).not.toMatch(/[\p{Cc}\u061C\u200B\u200E\u200F\u202A-\u202E\u2060-\u206F\u3164]/u);
      expect(left).not.toMatch(/^\p{M}|\p{M}{5}|[\u200C\u200D]{2}|^\s|\s$/u);
      expect(left.isWellFormed()).toBe(true);
    }),
    { numRuns: 5_000 },
  );
});

test('what people write can be told apart by what is left', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'abc你好مرحبא👍é') }), (text) => {
      expect(visibleText(text)).toBe(text);
    }),
  );
});
