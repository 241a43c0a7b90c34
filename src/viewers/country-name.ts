// Countries as people call them, by their ISO 3166 code.
import { remembered } from '../lib/remembered.ts';

/** Empty where nobody has that code; `ZZ` is how lists write that they do not know. */
export function countryName(code: string, language: 'en' | 'zh'): string {
  if (!/^[A-Z]{2}$/.test(code) || code === 'ZZ') return '';
  return (
    namesIn(language)
      .of(code)
      ?.replace(/ SAR China$/, '') ?? ''
  );
}

/** Made when first asked for: the runtime's tables of names are not small. */
const namesIn = remembered(2, (language) => {
  // The short Chinese names leave out what a form would say of Hong Kong; the short English ones say "US".
  const style = language === 'zh' ? 'short' : 'long';
  return new Intl.DisplayNames(language, { type: 'region', style, fallback: 'none' });
});
