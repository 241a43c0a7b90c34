// Every sentence the pages say, in the language a browser wants.
import type { Language } from './page-data.ts';
import { english, type PageTexts } from './texts-en.ts';
import { chinese } from './texts-zh.ts';

export const texts: Record<Language, PageTexts> = { en: english, zh: chinese };

/** The better liked of the two in an Accept-Language header; English where neither is named. */
export function languageOf(header: string | null): Language {
  const wanted = (header ?? '')
    .slice(0, headerCharactersMax)
    .split(',')
    .map((part) => {
      const [tag = '', ...settings] = part.trim().toLowerCase().split(';');
      const quality = settings.map((one) => /^\s*q=([\d.]+)\s*$/.exec(one)?.[1]).find(Boolean);
      return { tag, quality: quality === undefined ? 1 : Number(quality) };
    })
    .filter(({ tag, quality }) => /^(?:zh|en)\b/.test(tag) && quality > 0)
    // A stable sort: of equals the first named wins.
    .sort((a, b) => b.quality - a.quality);
  return wanted[0]?.tag.startsWith('zh') ? 'zh' : 'en';
}

/** No browser sends more, and nobody else is read further. */
const headerCharactersMax = 512;
