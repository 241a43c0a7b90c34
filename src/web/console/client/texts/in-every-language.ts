// Sentences in every language: the English ones say which there are.
import type { Language } from '../../../pages/page-data.ts';

/** A language that lacks a sentence, or has one more, does not compile. */
export type InEveryLanguage<T> = Record<Language, Texts<T>>;

/** `{ open: string; states: { on: string } }` for `{ open: 'Open', states: { on: 'On' } }`. */
type Texts<T> = { [K in keyof T]: T[K] extends string ? string : Texts<T[K]> };
