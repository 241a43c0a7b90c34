// How the person likes the console: light or dark, English or Chinese; remembered by the browser.
import { type Signal, signal } from '@preact/signals';
import type { Language } from '../../pages/page-data.ts';
import { readLook, type Scheme, schemes, writeLook } from '../console-look.ts';

export interface Look {
  scheme: Signal<Scheme>;
  language: Signal<Language>;
  chooseScheme(scheme: Scheme): void;
  chooseLanguage(language: Language): void;
}

/** The page came in the looks that were chosen before, or in the browser's. */
export function startLook(): Look {
  const root = document.documentElement;
  const scheme = signal(schemes.find((one) => one === root.dataset['scheme']) ?? 'system');
  const language = signal<Language>(root.dataset['language'] === 'zh' ? 'zh' : 'en');
  let chosen = readLook(document.cookie).language;
  const keep = () => {
    // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is missing over plain HTTP
    document.cookie = writeLook({ scheme: scheme.value, language: chosen });
  };
  return {
    scheme,
    language,
    chooseScheme: (wanted) => {
      scheme.value = wanted;
      root.dataset['scheme'] = wanted;
      keep();
    },
    chooseLanguage: (wanted) => {
      language.value = wanted;
      chosen = wanted;
      root.dataset['language'] = wanted;
      root.lang = wanted === 'zh' ? 'zh-CN' : 'en';
      keep();
    },
  };
}
