// Every sentence of the console, by language.
import type { Language } from '../../pages/page-data.ts';
import { consoleEnglish } from './console-texts-en.ts';
import { consoleChinese } from './console-texts-zh.ts';

/** The same sentences in every language. */
export type ConsoleTexts = Texts<typeof consoleEnglish>;

type Texts<T> = { [K in keyof T]: T[K] extends string ? string : Texts<T[K]> };

export const consoleTexts: Record<Language, ConsoleTexts> = {
  en: consoleEnglish,
  zh: consoleChinese satisfies ConsoleTexts,
};
