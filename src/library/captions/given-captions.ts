// A file of captions as somebody gives it, made what is kept; what is wrong with it is theirs to know.
import { ApiError, invalidField, quoted } from '../../base/api/errors.ts';
import type { Steps } from '../../base/turns/stepped-work.ts';
import { asKept } from './captions-cut.ts';
import { type CaptionType, captionsLimits } from './captions-limits.ts';
import { CaptionsProblem } from './captions-problem.ts';
import type { KeptCaptions } from './captions-store.ts';
import { canonicalTag, languageName } from './language-tag.ts';
import { readSubRip } from './sub-rip.ts';
import { readWebVtt } from './web-vtt.ts';

const { bytesMax } = captionsLimits;
const readers = { 'text/vtt': readWebVtt, 'application/x-subrip': readSubRip };

/** Without a label they are called by their language, in its own words. */
export function* givenCaptions(
  bytes: Uint8Array,
  {
    type,
    language,
    label = '',
  }: { type: CaptionType; language: string; label?: string | undefined },
): Steps<KeptCaptions> {
  try {
    const kept = yield* asKept(yield* readers[type](bytes));
    if (kept.bytes > bytesMax)
      throw new CaptionsProblem(`As WebVTT the file has more than ${bytesMax} bytes`);
    return { language, label: label || languageName(language), ...kept };
  } catch (error) {
    if (error instanceof CaptionsProblem) throw new ApiError('invalid', { message: error.message });
    throw error;
  }
}

/** The tag of the language, as it is kept. */
export function languageIn({ language: came }: { language: string }): string {
  const language = canonicalTag(came);
  if (language === undefined)
    throw invalidField(
      'language',
      `language must be a tag such as "en" or "zh-Hant" (got ${quoted(came)})`,
    );
  return language;
}
