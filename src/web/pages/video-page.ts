// A video's page, and its bare player for somebody's frame.
import type { Zone } from '../../base/lib/time.ts';
import type { CaptionsRow } from '../../library/captions/captions.ts';
import type { PageValues } from '../../library/channels/page.ts';
import type { ShownVideo } from '../../library/videos/shown-video-store.ts';
import { everySizeAddress, videoView } from '../../library/videos/video.ts';
import type { PageAssets } from './assets.ts';
import { type Html, html } from './html.ts';
import { icon } from './icons.ts';
import { page } from './layout.ts';
import { loadable } from './loadable-address.ts';
import { captionTracks, mediaAddress } from './media-address.ts';
import type { Language, VideoData, VideoSource } from './page-data.ts';
import { id } from './page-ids.ts';
import { shapeOf } from './picture-shape.ts';
import { playerMarkup } from './player-markup.ts';
import { shareDialog } from './share-markup.ts';
import { texts as allTexts } from './texts.ts';
import type { PageTexts } from './texts-en.ts';
import { timeText } from './time-text.ts';

export interface VideoPage {
  video: ShownVideo;
  captions: readonly CaptionsRow[];
  settings: PageValues;
  isEmbed: boolean;
  /** What addresses of media begin with: nothing where everybody may watch. */
  mediaPath: string;
  language: Language;
  baseUrl: string;
  zone: Zone;
  nonce: string;
  assets: PageAssets;
}

export function videoPage(given: VideoPage): string {
  const { video, captions, settings, isEmbed, mediaPath, language, baseUrl, nonce, assets } = given;
  const texts = allTexts[language];
  const sources = sourcesOf(video, texts).map(({ label, playlist }) => ({
    label,
    playlist: mediaAddress(mediaPath, playlist),
  }));
  const url = `${baseUrl}/videos/${video.id}`;
  const data: VideoData = {
    sources,
    file: mediaAddress(mediaPath, loadable(video.video_url)),
    captions: captionTracks(mediaPath, video.id, captions),
    duration: video.duration,
    share_url: isEmbed ? '' : url,
    texts: texts.client,
  };
  const player = playerMarkup({
    texts,
    backdrop: mediaAddress(mediaPath, loadable(video.cover_url)),
    logo: loadable(settings.pc_logo),
    notes: html``,
    durationSeconds: video.duration,
  });
  const image = video.cover_url || settings.cover_image;
  return page({
    texts,
    title: video.name,
    theme: settings.theme,
    bgColor: settings.bg_color,
    nonce,
    assets,
    kind: isEmbed ? 'embed' : 'video',
    state: 'video',
    shape: shapeOf(video),
    shared: isEmbed ? undefined : { url, image, baseUrl },
    iconAddress: settings.cover_image,
    script: 'video',
    data,
    body: isEmbed ? html`<main>${player}</main>` : whole(given, { texts, player, url }),
  });
}

/** Where its media lies, for the page's policy. */
export function mediaOf({ video_url, m3u8, m3u8_480, m3u8_720, m3u8_1080 }: ShownVideo): string[] {
  return [video_url, m3u8, m3u8_480, m3u8_720, m3u8_1080];
}

/** The list of all sizes where it is ours; else the source, and those variants that are not the source itself. */
function sourcesOf(video: ShownVideo, texts: PageTexts): VideoSource[] {
  const { m3u8, m3u8_1080, m3u8_720, m3u8_480 } = video;
  const every = everySizeAddress(m3u8);
  if (every) return [{ label: texts.source, playlist: every }];
  const all = [
    { label: texts.source, playlist: loadable(m3u8) },
    { label: '1080p', playlist: loadable(m3u8_1080) },
    { label: '720p', playlist: loadable(m3u8_720) },
    { label: '480p', playlist: loadable(m3u8_480) },
  ];
  return all.filter(
    ({ playlist }, at) =>
      playlist !== '' && all.findIndex((one) => one.playlist === playlist) === at,
  );
}

function whole(
  given: VideoPage,
  { texts, player, url }: { texts: PageTexts; player: Html; url: string },
): Html {
  const { video, settings } = given;
  return html`<main class="stage">${player}
<header class="about"><h1 dir="auto">${video.name}</h1><div class="beside"><dl class="facts">${facts(
    given,
    texts,
  ).map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
<button ${id('share')} type="button" class="button">${icon('share')}<span>${texts.share}</span></button></div></header></main>
${settings.footer ? html`<footer dir="auto">${settings.footer}</footer>` : ''}
${shareDialog({ texts, url, hasQr: false })}`;
}

function facts({ video, baseUrl, zone }: VideoPage, texts: PageTexts): [string, string | Html][] {
  const shown = videoView(video, baseUrl, zone);
  const at = video.start_time ?? video.upload_time;
  const date = at === null ? '' : zone.dateMinute(at);
  const size = video.width > 0 ? `${shown.width} × ${shown.height}` : '';
  const channel =
    video.channel_name === null
      ? ''
      : html`<a href="/watch/${video.channel_id}"><bdi>${video.channel_name}</bdi></a>`;
  const all: [string, string | Html][] = [
    [
      texts.recorded_at,
      date && html`<time datetime="${new Date(at ?? 0).toISOString()}">${date}</time>`,
    ],
    [texts.duration, timeText(video.duration)],
    [texts.size, [size, bytesText(video.video_size)].filter(Boolean).join(', ')],
    [texts.channel, channel],
  ];
  return all.filter(([, value]) => value !== '');
}

/** `734 MB`, in powers of ten as people's disks are sold; empty where it is not known. */
export function bytesText(bytes: number): string {
  if (bytes <= 0) return '';
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  const power = Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1000 ** power;
  return `${value < 10 && power > 0 ? value.toFixed(1) : Math.round(value)} ${units[power]}`;
}
