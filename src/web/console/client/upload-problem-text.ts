// Why an upload became no video, as the person reads it.
import { filled } from '../../pages/client/page-elements.ts';
import type { Sentence } from './problem-text.ts';
import type { Upload } from './service-answers.ts';
import type { ConsoleTexts } from './texts/console-texts.ts';

/** In the person's language; where we do not know the reason, with the service's own words behind it. */
export function uploadProblemText(
  { reason, problem }: Pick<Upload, 'reason' | 'problem'>,
  { uploads: texts, refused }: ConsoleTexts,
): Sentence {
  const sentence = wordFor(texts.reasons, reason?.['code']);
  if (reason === null || sentence === undefined)
    return refused.language === 'en' ? problem : { text: texts.refused_other, english: problem };
  const { detail } = reason;
  // It is for whoever looks into it, in English, and stands at the end.
  const english = refused.language !== 'en' && typeof detail === 'string' ? detail : undefined;
  const text = filled(sentence, {
    ...reason,
    ...(english !== undefined && { detail: '' }),
    found: wordFor(texts.found, reason['found']) ?? reason['found'] ?? '',
    of: wordFor(texts.of, reason['of']) ?? '',
  });
  return english === undefined ? text : { text, english };
}

function wordFor(words: Record<string, string>, name: unknown): string | undefined {
  return typeof name === 'string' && Object.hasOwn(words, name) ? words[name] : undefined;
}
