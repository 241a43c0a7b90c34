// The service's own words in the person's language: found among the sentences that it is known to say.
import { filled } from '../../pages/client/page-elements.ts';

/** By name, sentences with what they name in braces: `An account may have {count} tokens`. */
export type Sentences = Readonly<Record<string, string>>;

/** What stands for a value that is no plain number. */
const patterns: Readonly<Record<string, string>> = {
  choices: '"[^"]*"(?:(?: or |, )"[^"]*")*',
  scope: '[\\w:]+',
  size: '[\\d,]+ × [\\d,]+',
  value: '".*"',
  zone: '[\\w/+-]+',
};
const number = '[\\d,]+';

/** The same sentence in another language, with the same values; undefined where the words are not known. */
export function inOtherWords(
  words: string,
  said: Sentences,
  wanted: Sentences,
): string | undefined {
  for (const [name, sentence] of Object.entries(said)) {
    const values = patternOf(sentence).exec(words)?.groups;
    if (values || words === sentence) return filled(wanted[name] ?? '', { ...values });
  }
  return undefined;
}

/** Only the whole sentence counts: what somebody typed may stand in another one. */
function patternOf(sentence: string): RegExp {
  const parts = sentence.split(/\{(\w+)\}/).map((part, at) => {
    if (at % 2 === 0) return part.replace(/[.*+?^$()[\]|\\/]/g, '\\$&');
    return `(?<${part}>${patterns[part] ?? number})`;
  });
  return new RegExp(`^${parts.join('')}$`, 's');
}
