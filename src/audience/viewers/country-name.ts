// Countries as people call them, by their ISO 3166 code.
import { remembered } from '../../base/lib/remembered.ts';

/** Empty where nobody has that code; `ZZ` is how lists write that they do not know. */
export type CountryName = (code: string, language: 'en' | 'zh') => string;

/** The runtime's tables of names are not small: each language is opened when it is first asked for. */
export function countryNames(): CountryName {
  const namesIn = remembered(2, openNames);
  return (code, language) => {
    if (!/^[A-Z]{2}$/.test(code) || code === 'ZZ') return '';
    const name = namesIn(language).of(code) ?? '';
    return name.replace(/ SAR China$/, '');
  };
}

function openNames(language: string): Intl.DisplayNames {
  // The short Chinese names leave out what a form would say of Hong Kong; the short English ones say "US".
  const style = language === 'zh' ? 'short' : 'long';
  return new Intl.DisplayNames(language, { type: 'region', style, fallback: 'none' });
}
