// How a person likes the console, as the browser's cookie keeps it: light or dark, and in which language.
import type { Language } from '../pages/page-data.ts';

export const schemes = ['system', 'light', 'dark'] as const;
export type Scheme = (typeof schemes)[number];

export interface ConsoleLook {
  scheme: Scheme;
  /** Undefined: the browser's own. */
  language: Language | undefined;
}

/** Not a secret, and nothing follows from it but the looks: the page is sent in them, so nothing flashes. */
export const lookCookie = 'footlight_look';

const languages = ['en', 'zh'] as const;

/** Reads `footlight_look=dark.zh`; what it does not know is as if it were not there. */
export function readLook(cookies: string | null): ConsoleLook {
  const text = new RegExp(`(?:^|;)\\s*${lookCookie}=([\\w.]*)`).exec(cookies ?? '')?.[1] ?? '';
  const [scheme, language] = text.split('.');
  return {
    scheme: schemes.find((one) => one === scheme) ?? 'system',
    language: languages.find((one) => one === language),
  };
}

/** As long as browsers keep a cookie at most. */
const keptSeconds = 400 * 24 * 3_600;

/** The cookie as a script sets it. */
export function writeLook({ scheme, language }: ConsoleLook): string {
  const text = `${scheme}.${language ?? ''}`;
  return `${lookCookie}=${text}; Path=/console; Max-Age=${keptSeconds}; SameSite=Strict`;
}
