// The one document of the console: the script shows in it what its path says.
import { type Html, html, raw } from '../pages/html.ts';
import { ownIcon } from '../pages/layout.ts';
import type { Language } from '../pages/page-data.ts';
import { chosenSchemeStyle } from '../pages/theme.ts';
import type { Scheme } from './console-look.ts';

export interface ConsolePage {
  language: Language;
  scheme: Scheme;
  nonce: string;
  /** Addresses of its script and style; empty where they could not be made. */
  script: string;
  style: string;
}

export function consolePage({ language, scheme, nonce, script, style }: ConsolePage): string {
  return `<!doctype html>${html`<html lang="${tags[language]}" data-language="${language}" data-scheme="${scheme}"><head><meta charset="utf-8"><title>Footlight</title>
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover"><meta name="robots" content="noindex">
<link rel="icon" href="${ownIcon}"><style nonce="${nonce}">${raw(chosenSchemeStyle())}</style>
${style ? html`<link rel="stylesheet" href="${style}">` : ''}${script ? html`<script type="module" src="${script}"></script>` : ''}</head>
<body class="console"><div id="console">${beforeScript(language)}</div></body></html>`}`;
}

const tags: Record<Language, string> = { en: 'en', zh: 'zh-CN' };

/** What is there until the script is, and where it never comes. */
function beforeScript(language: Language): Html {
  return html`<header class="top-bar"><span class="brand">Footlight</span></header>
<main class="view"><noscript><p>${needsScript[language]}</p></noscript></main>`;
}

const needsScript: Record<Language, string> = {
  en: 'The console needs JavaScript. Please turn it on in your browser.',
  zh: '控制台需要 JavaScript，请在浏览器中启用它。',
};
