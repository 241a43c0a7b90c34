// The front page: the public channels that are on air, upcoming and past, or one calm line.
import type { Zone } from '../../base/lib/time.ts';
import { readPage } from '../../library/channels/page.ts';
import type { PublicChannel, PublicList } from '../../library/channels/public-channel-store.ts';
import type { PageAssets } from './assets.ts';
import { type Html, html } from './html.ts';
import { page } from './layout.ts';
import { loadable } from './loadable-address.ts';
import type { Language } from './page-data.ts';
import { texts as allTexts } from './texts.ts';
import type { PageTexts } from './texts-en.ts';

export interface HomePage {
  listed: PublicList;
  zone: Zone;
  language: Language;
  baseUrl: string;
  nonce: string;
  assets: PageAssets;
}

export function homePage(given: HomePage): string {
  const { listed, language, baseUrl, nonce, assets } = given;
  const texts = allTexts[language];
  const isEmpty = Object.values(listed).every((list) => list.length === 0);
  return page({
    texts,
    title: isEmpty ? 'Footlight' : texts.home_title,
    theme: 'default',
    bgColor: '',
    nonce,
    assets,
    kind: isEmpty ? 'error' : 'home',
    state: 'ended',
    shared: isEmpty ? undefined : { url: `${baseUrl}/`, image: '', baseUrl },
    iconAddress: '',
    script: undefined,
    data: undefined,
    body: isEmpty ? calm(texts) : lists(given, texts),
  });
}

function calm(texts: PageTexts): Html {
  return html`<main class="card"><h1>${texts.home_nothing}</h1><p>${texts.home_nothing_more}</p><p class="soft">${ways(texts)}</p></main>`;
}

function lists(given: HomePage, texts: PageTexts): Html {
  const { on_air, upcoming, past } = given.listed;
  const part = (title: string, state: State, channels: readonly PublicChannel[]) =>
    channels.length === 0
      ? ''
      : html`<section aria-labelledby="${state}"><h2 id="${state}">${title}</h2><ul>${channels.map((one) => tile(one, state, given))}</ul></section>`;
  return html`<main><h1>${texts.home_title}</h1>
${part(texts.home_on_air, 'on-air', on_air)}${part(texts.home_upcoming, 'upcoming', upcoming)}${part(texts.home_past, 'past', past)}</main>
<footer>${ways(texts)}</footer>`;
}

type State = 'on-air' | 'upcoming' | 'past';

function tile(channel: PublicChannel, state: State, { zone, language }: HomePage): Html {
  const { cover_image, start_time } = readPage(channel.page);
  const { last_push_stream_at: pushed } = channel;
  const at = state === 'upcoming' ? start_time : (pushed ?? start_time);
  const picture = loadable(cover_image);
  const shown = picture
    ? html`<img src="${picture}" alt="" loading="lazy">`
    : html`<span class="initial">${firstLetter(channel.name)}</span>`;
  const live =
    state === 'on-air'
      ? html`<span class="mark"><span class="dot"></span>${allTexts[language].live}</span>`
      : '';
  const time =
    at === null
      ? ''
      : html`<time class="soft" datetime="${new Date(at).toISOString()}">${zone.dateMinute(at)} (${zone.name})</time>`;
  return html`<li><a class="card" href="/watch/${channel.id}"><span class="picture" aria-hidden="true">${shown}</span><span class="words">${live}<span class="name" dir="auto">${channel.name}</span>${time}</span></a></li>`;
}

function firstLetter(name: string): string {
  return [...new Intl.Segmenter().segment(name)][0]?.segment.toUpperCase() ?? '';
}

function ways(texts: PageTexts): Html {
  return html`<a href="/console">${texts.home_console}</a> · <a href="/docs">${texts.home_docs}</a>`;
}
