// Languages by their tags (BCP 47): read, and named in their own words.
import { captionsLimits } from './captions-limits.ts';

/**
 * The tag of a language (BCP 47), however it is written: of `zh_hant` it is `zh-Hant`. Without the extension for
 * calendars and their like, which says nothing of what is written; undefined where it is no tag, or has a part that may
 * say something, as `en-x-simple`: it would take the place of `en`.
 */
export function canonicalTag(text: string): string | undefined {
  if (text.length > captionsLimits.languageCharactersMax) return undefined;
  try {
    const locale = new Intl.Locale(text.replaceAll('_', '-'));
    const others = `${locale}`.slice(locale.baseName.length);
    return /^(?:-u(?:-\w{2,})+)?$/.test(others) ? locale.baseName : undefined;
  } catch {
    return undefined;
  }
}

/** What its speakers call it, as `Français`; the tag where nobody knows. */
export function languageName(language: string): string {
  const name = new Intl.DisplayNames([language], { type: 'language' }).of(language) ?? language;
  return name.charAt(0).toLocaleUpperCase(language) + name.slice(1);
}
