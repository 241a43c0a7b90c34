// What a watch page carries for its script.
import { readAdmission } from '../../library/admission/admission.ts';
import type { CaptionsRow } from '../../library/captions/captions.ts';
import type { PageValues } from '../../library/channels/page.ts';
import type { WatchedChannel } from '../../library/channels/watched-channel-store.ts';
import type { OfferedVideo } from '../../library/videos/shown-video-store.ts';
import { everySizeAddress } from '../../library/videos/video.ts';
import { loadable } from './loadable-address.ts';
import { captionTracks, mediaAddress } from './media-address.ts';
import type { Language, WatchData } from './page-data.ts';
import type { PageViewer } from './page-viewer.ts';
import { shapeOf } from './picture-shape.ts';
import { texts } from './texts.ts';
import type { WatchKind } from './watch-page.ts';

export interface WatchFacts {
  kind: WatchKind;
  channel: WatchedChannel;
  settings: PageValues;
  viewer: PageViewer;
  last: OfferedVideo | undefined;
  /** Of that. */
  captions: readonly CaptionsRow[];
  /** What addresses of media begin with: nothing where everybody may watch. */
  mediaPath: string;
  language: Language;
  baseUrl: string;
  now: number;
}

/** Addresses are paths, so that a page works under every name its host is reached by; only the shared one is whole. */
export function watchData(facts: WatchFacts): WatchData {
  const { kind, channel, settings, viewer, last, mediaPath, language, baseUrl, now } = facts;
  const isEmbed = kind === 'embed';
  return {
    channel_id: channel.id,
    ticket: viewer.ticket,
    viewer_token: viewer.token,
    ticket_url: viewer.token === '' ? '' : `/embed/${channel.id}/ticket`,
    playlist: `${mediaPath}/hls/${channel.play_id}/live.m3u8?low_latency=1`,
    show_list: `${mediaPath}/hls/${channel.play_id}/show.m3u8`,
    live: channel.live === 1,
    has_been_live: channel.last_push_stream_at !== null || last !== undefined,
    start_time: settings.start_time,
    now,
    video: last ? offered(last, facts) : null,
    video_playlist: `${mediaPath}/recordings/{id}/all.m3u8`,
    video_page: isEmbed ? '/embed/videos/{id}' : '/videos/{id}',
    chat_open: channel.chat === 1,
    is_embed: isEmbed,
    share_url: `${baseUrl}/${kind === 'mobile' ? 'm' : 'watch'}/${channel.id}`,
    title: channel.name,
    language,
    texts: texts[language].client,
  };
}

function offered(last: OfferedVideo, { captions, mediaPath }: WatchFacts): WatchData['video'] {
  const playlist = offeredPlaylist(last, mediaPath);
  // What is only linked shows its own.
  const shown = playlist === '' ? [] : captionTracks(mediaPath, last.id, captions);
  return { id: last.id, playlist, captions: shown };
}

/** What was pushed last is what is likely to come, and what its recording looks like. */
export function watchShape({ channel, last }: Pick<WatchFacts, 'channel' | 'last'>): number {
  const { picture_width: width, picture_height: height } = channel;
  return shapeOf({ width, height }, last);
}

/** One that not everybody may watch whom the channel is for is only linked. */
function offeredPlaylist({ m3u8, access }: OfferedVideo, mediaPath: string): string {
  if (access !== '' && readAdmission(access).kind !== 'open') return '';
  return mediaAddress(mediaPath, everySizeAddress(m3u8) ?? ownPlaylist(m3u8));
}

/** A playlist on another site is not allowed by this page's policy. */
function ownPlaylist(m3u8: string): string {
  return m3u8.startsWith('//') ? '' : loadable(m3u8).replace(/^https?:.*/i, '');
}
