// A channel's live page: on a desktop, on a phone, and as a bare player in somebody's frame.
import type { Zone } from '../../base/lib/time.ts';
import type { PageValues } from '../../library/channels/page.ts';
import type { PageAssets } from './assets.ts';
import { chatMarkup } from './chat-markup.ts';
import { type Html, html } from './html.ts';
import { icon } from './icons.ts';
import { page } from './layout.ts';
import { loadable } from './loadable-address.ts';
import { offAirState } from './off-air-state.ts';
import type { WatchData } from './page-data.ts';
import { id } from './page-ids.ts';
import { playerMarkup } from './player-markup.ts';
import type { QrOf } from './qr-codes.ts';
import { shareDialog } from './share-markup.ts';
import { texts as allTexts } from './texts.ts';
import type { PageTexts } from './texts-en.ts';

export type WatchKind = 'watch' | 'mobile' | 'embed';

export interface WatchPage {
  kind: WatchKind;
  settings: PageValues;
  data: WatchData;
  /** Of the picture, as far as it is known before it comes. */
  shape: number;
  baseUrl: string;
  zone: Zone;
  nonce: string;
  assets: PageAssets;
  /** The symbol `qr`, of an address. */
  qrOf: QrOf;
}

export function watchPage(given: WatchPage): string {
  const { kind, settings, data, shape, nonce, assets, baseUrl } = given;
  const texts = allTexts[data.language];
  const player = playerMarkup({
    texts,
    backdrop: loadable(settings.live_img),
    logo: loadable(kind === 'mobile' ? settings.mobile_logo : settings.pc_logo),
    notes: notes(given, texts),
    durationSeconds: 0,
  });
  return page({
    texts,
    title: data.title,
    theme: settings.theme,
    bgColor: settings.bg_color,
    nonce,
    assets,
    kind,
    // As the service sees it now; the script goes on from there.
    state: data.live ? 'live' : offAirState(data, data.now),
    shape,
    shared:
      kind === 'embed' ? undefined : { url: data.share_url, image: settings.cover_image, baseUrl },
    iconAddress: settings.cover_image,
    script: 'watch',
    data,
    body: kind === 'embed' ? html`<main>${player}</main>` : whole(given, { texts, player }),
  });
}

function whole(given: WatchPage, { texts, player }: { texts: PageTexts; player: Html }): Html {
  const { kind, settings, data, baseUrl, qrOf } = given;
  const banner = loadable(settings.banner);
  const mobileUrl = `${baseUrl}/m/${data.channel_id}`;
  const code = settings.show_qrcode ? qrOf(mobileUrl) : undefined;
  const qr = code ? html`<svg class="unseen" aria-hidden="true">${code}</svg>` : '';
  return html`<main class="stage${banner && ' with-banner'}">${player}
<header class="about"><h1 ${id('title')} dir="auto">${data.title}</h1>
<div class="facts">${badge(texts)}<span class="count"><span ${id('viewers')}></span>${icon('people')}</span>
<button ${id('share')} type="button" class="button">${icon('share')}<span>${texts.share}</span></button></div></header>
${banner ? html`<img class="banner" src="${banner}" alt="">` : ''}
${chatMarkup(texts, data.chat_open)}
${kind === 'watch' && code ? phoneCard(texts) : ''}</main>
${settings.footer ? html`<footer dir="auto">${settings.footer}</footer>` : ''}
${shareDialog({ texts, url: data.share_url, hasQr: code !== undefined })}${qr}`;
}

/** What stands over the picture while it is not live: the countdown, or that it is over. */
function notes({ kind, data, zone }: WatchPage, texts: PageTexts): Html {
  const corner = html`<p class="corner">${badge(texts)}<span ${id('viewers')}></span></p>`;
  return html`${kind === 'embed' ? corner : ''}<div class="curtain" data-at="waiting ended">
<div data-at="waiting">${countdown(data, texts)}${startTime(data, { texts, zone })}</div><p class="headline" data-at="ended">${texts.has_ended}</p>${recording(data, texts)}</div>`;
}

/** Hidden where there is none yet; the script shows it when one is made. */
function recording({ video, video_page }: WatchData, texts: PageTexts): Html {
  const address = video ? video_page.replace('{id}', String(video.id)) : '#';
  return html`<a ${id('watch-video')} class="button" data-at="ended" href="${address}"${hiddenIf(!video)}>${icon('play')}${texts.watch_recording}</a>`;
}

function badge(texts: PageTexts): Html {
  return html`<span class="badge"><span data-at="live"><span class="dot"></span>${texts.live}</span><span data-at="waiting">${texts.soon}</span><span data-at="ended">${texts.off_air}</span><span data-at="video">${texts.recording}</span></span>`;
}

/** Empty until the script knows the time; its place is kept, so that nothing moves. */
function countdown(data: WatchData, texts: PageTexts): Html {
  const part = (name: 'days' | 'hours' | 'minutes' | 'seconds') =>
    html`<span ${id(`countdown-${name}-part`)}${hiddenIf(name === 'days')}><b ${id(`countdown-${name}`)}>00</b> ${texts[name]}</span>`;
  return html`<div class="timer"><div ${id('countdown')} role="timer" aria-label="${texts.starts_in}" hidden><p class="parts">${part('days')}${part('hours')}${part('minutes')}${part('seconds')}</p></div>
<p ${id('countdown-over')} class="headline"${hiddenIf(isAhead(data))}>${texts.not_begun}</p></div>`;
}

/** In the service's time zone, which it names; the script writes the viewer's own. */
function startTime(data: WatchData, { texts, zone }: { texts: PageTexts; zone: Zone }): Html {
  const { start_time: at } = data;
  const time =
    at === null
      ? html`<time ${id('start-time')}></time>`
      : html`<time ${id('start-time')} datetime="${new Date(at).toISOString()}">${zone.dateMinute(at)} (${zone.name})</time>`;
  return html`<p ${id('start')} class="soft"${hiddenIf(!isAhead(data))}>${texts.starts_at} ${time}</p>`;
}

function isAhead({ start_time, now }: WatchData): boolean {
  return start_time !== null && start_time > now;
}

function hiddenIf(isHidden: boolean): Html | '' {
  return isHidden ? html` hidden` : '';
}

function phoneCard(texts: PageTexts): Html {
  return html`<aside class="phone card"><svg class="qr" role="img" aria-label="${texts.qr_name}"><use href="#qr"/></svg>
<div><h2>${texts.on_phone}</h2><p class="soft">${texts.on_phone_more}</p></div></aside>`;
}
