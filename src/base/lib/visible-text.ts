// Text as somebody typed it, without what nobody sees: characters that hide, turn the line around or pile up.

/**
 * The text that is left looks as it is: nothing in it hides words from a reader, makes two names look the same, turns the
 * letters beside it around or climbs over the lines above. Emoji, flags and the joiners that Persian, Hindi and other
 * scripts are written with stay. May be empty.
 */
export function visibleText(text: string): string {
  return text
    .toWellFormed()
    .replace(blanks, ' ')
    .replace(keptOrHidden, (_, kept?: string) => kept ?? '')
    .replace(marksAfterMax, '$1')
    .replace(blanks, ' ')
    .replace(nothingToStandOn, '')
    .trimEnd();
}

/** Several are one; what breaks a line or only looks like a blank is an ordinary one. */
const blanks = /[\p{Cc}\p{Z}\u2800]{2,}|[\p{Cc}\p{Zl}\p{Zp}\u2800]/gu;

/**
 * Where letters are whose shape depends on joiners: dropped between two of them, a word is misspelt. Arabic, Syriac
 * and N'Ko; the scripts of India; Tibetan and Burmese; Khmer and Mongolian without what is drawn as nothing there;
 * Arabic as it was once encoded.
 */
const joining = String.raw`[\u0620-\u08FF\u0900-\u0DFF\u0F00-\u109F\u1780-\u17B3\u17B6-\u17D3\u1810-\u18AA\uFB50-\uFDCF\uFDF0-\uFDFB\uFE70-\uFEFC]`;
/** Signs that end a letter without its vowel; a joiner behind one says how they are drawn, also at a word's end. */
const viramas = String.raw`[\u094D\u09CD\u0A4D\u0ACD\u0B4D\u0BCD\u0C4D\u0CCD\u0D4D\u0DCA\u1039\u17D2]`;
/** One picture: with its skin, or with how it is to be drawn. */
const picture = String.raw`\p{ExtPict}(?:\p{EMod}|[\uFE0E\uFE0F])?`;
/** England, Scotland and Wales, the only flags that are spelt out. */
const spelt = ['gbeng', 'gbsct', 'gbwls'].map(
  (letters) => `\u{1F3F4}${[...letters].map(tagOf).join('')}\u{E007F}`,
);

const kept = [
  ...spelt,
  // A family, a rainbow flag: pictures that are joined to one.
  String.raw`${picture}(?:\u200D${picture})*`,
  String.raw`[0-9#*]\uFE0F\u20E3`,
  // How a character of a name is written: registered variants of Han, and Mongolian ones.
  String.raw`[\u3400-\u9FFF\uF900-\uFAFF\u{20000}-\u{2FFFD}\u{30000}-\u{3FFFD}][\uFE00-\uFE02\u{E0100}-\u{E01EF}]`,
  String.raw`[\u1820-\u18AA][\u180B-\u180D\u180F]`,
  String.raw`${viramas}[\u200C\u200D]`,
  String.raw`${joining}[\u200C\u200D](?=[\u200C\u200D]*${joining})`,
];
/** Unicode's own list of what is drawn as nothing, and the notes between lines that it leaves out. */
const hidden = String.raw`[\p{DI}\p{NChar}\uFFF9-\uFFFB]`;
const keptOrHidden = new RegExp(`(${kept.join('|')})|${hidden}`, 'gu');

/** More than any script puts on one letter: Hebrew with accents has four. Joiners between them make no difference. */
const marksAfterMax = /((?:\p{M}[\u200C\u200D]?){4})[\p{M}\u200C\u200D]+/gu;

/** Signs at the very start would settle on whatever stands before the text. */
const nothingToStandOn = /^[\p{M}\p{Z}\u200C\u200D]+/u;

function tagOf(letter: string): string {
  return String.fromCodePoint(0xe0000 + letter.charCodeAt(0));
}
