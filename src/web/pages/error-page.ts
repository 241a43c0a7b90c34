// What a browser is shown where there is no page to show.
import type { ErrorName } from '../../base/api/errors.ts';
import type { PageAssets } from './assets.ts';
import { html } from './html.ts';
import { page } from './layout.ts';
import type { Language } from './page-data.ts';
import { texts as allTexts } from './texts.ts';
import type { PageTexts } from './texts-en.ts';

/** Where one who is lost is led: the front page, or that of the documentation. */
export type ErrorHome = '/' | '/docs';

export interface ErrorPage {
  kind: ErrorName;
  home: ErrorHome;
  language: Language;
  nonce: string;
  assets: PageAssets;
}

export function errorPage({ kind, home, language, nonce, assets }: ErrorPage): string {
  const texts = allTexts[language];
  const { headline, more, canRetry, leadsHome } = saying(kind, texts);
  return page({
    texts,
    title: headline,
    theme: 'default',
    bgColor: '',
    nonce,
    assets,
    kind: 'error',
    state: 'ended',
    shared: undefined,
    iconAddress: '',
    script: undefined,
    data: undefined,
    body: html`<main class="card"><p class="soft">${texts.error_title}</p><h1>${headline}</h1><p>${more}</p>
${canRetry ? html`<p><a class="button" href="">${texts.try_again}</a></p>` : ''}${leadsHome ? html`<p><a class="button" href="${home}">${home === '/' ? texts.to_home : texts.to_docs}</a></p>` : ''}</main>`,
  });
}

interface Saying {
  headline: string;
  more: string;
  canRetry?: boolean;
  leadsHome?: boolean;
}

function saying(kind: ErrorName, texts: PageTexts): Saying {
  switch (kind) {
    case 'noPath':
      return { headline: texts.no_page, more: texts.no_page_more, leadsHome: true };
    case 'noChannel':
      return { headline: texts.no_channel, more: texts.no_channel_more };
    case 'noVideo':
      return { headline: texts.no_video, more: texts.no_video_more };
    case 'unavailable':
      return { headline: texts.not_now, more: texts.not_now_more, canRetry: true };
    case 'internal':
      return { headline: texts.failed, more: texts.failed_more, canRetry: true };
    default:
      return { headline: texts.bad_request, more: texts.bad_request_more };
  }
}
