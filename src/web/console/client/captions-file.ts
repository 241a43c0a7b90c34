// A file of captions as somebody chose it: what it is by its name, and which language that says.
import { captionsLimits } from '../../../library/captions/captions-limits.ts';
import { canonicalTag, languageName } from '../../../library/captions/language-tag.ts';

/** Browsers seldom know the type of such a file. */
export function captionsBlob(file: File): Blob {
  const type = /\.srt$/i.test(file.name) ? 'application/x-subrip' : 'text/vtt';
  return new Blob([file], { type });
}

export function isTooLarge({ size }: Pick<File, 'size'>): boolean {
  return size > captionsLimits.bytesMax;
}

/** Of `talk.en-GB.vtt` it is `en-GB`; undefined where the name says none that has a name. */
export function languageOfFile(name: string): string | undefined {
  const [, said = ''] = /[._ -]([a-z]{2,3}(?:[-_][a-z\d]{2,8}){0,2})\.\w+$/i.exec(name) ?? [];
  const language = canonicalTag(said);
  return language !== undefined && isNamed(language) ? language : undefined;
}

/** What viewers see where nothing else is said; empty where the tag is none. */
export function usualLabel(tag: string): string {
  const language = canonicalTag(tag.trim());
  return language === undefined ? '' : languageName(language);
}

function isNamed(language: string): boolean {
  return languageName(language).toLowerCase() !== language.toLowerCase();
}
