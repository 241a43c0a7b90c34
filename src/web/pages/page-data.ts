// The data that a page carries for its script; its elements stand in page-ids.ts.
//
// `<script type="application/json" id="page">` holds a WatchData (/watch, /m, /embed) or a VideoData (/videos,
// /embed/videos). The script is loaded as a module, so the whole page is there when it runs.

export type Language = 'en' | 'zh';

export interface WatchData {
  channel_id: number;
  /** Lets the page's connection in; empty for robots, whose page does not connect. */
  ticket: string;
  /** What the viewer's cookie would hold, to be kept in localStorage under `viewerKey`; empty where a cookie or link is enough. */
  viewer_token: string;
  /**
   * Where another token that localStorage holds is exchanged for a ticket: GET with the headers
   * `x-footlight-viewer: TOKEN` and `x-footlight-ticket: TICKET`, answered by a TicketAnswer. By 403 the token is
   * none of ours, and the page's own takes its place; whatever else fails, it is kept for another time. Empty
   * where viewer_token is.
   */
  ticket_url: string;
  /** The live playlist, with parts from the first one on. */
  playlist: string;
  /** Of all that is recorded of a show while it is on. */
  show_list: string;
  live: boolean;
  /** Whether anything was ever pushed, or brought as a video. */
  has_been_live: boolean;
  /** Epoch milliseconds; null where it is not set. */
  start_time: number | null;
  /** The service's clock when the page was made: countdowns hold on machines whose clock is wrong. */
  now: number;
  /** The channel's last recording; its playlist is empty where it lies on another site, then it is only linked. */
  video: { id: number; playlist: string; captions: CaptionTrack[] } | null;
  /** Playlist and page of a recording that is made later, with `{id}` for its id. */
  video_playlist: string;
  video_page: string;
  chat_open: boolean;
  is_embed: boolean;
  /** What is shared: the watch page's address, without anybody's identity in it. */
  share_url: string;
  title: string;
  language: Language;
  texts: ClientTexts;
}

export interface VideoData {
  /**
   * One with all sizes in it where the recording is ours; else the source first, then the variants from the largest
   * down. Empty where there is only `file`.
   */
  sources: VideoSource[];
  /** The original file, for browsers without HLS of any kind; may be empty. */
  file: string;
  /** By their languages. */
  captions: CaptionTrack[];
  /** Seconds. */
  duration: number;
  /** What is shared: the video page's address; empty in a frame, where nothing is. */
  share_url: string;
  texts: ClientTexts;
}

export interface VideoSource {
  /** `Source`, `720p`, … */
  label: string;
  playlist: string;
}

export interface CaptionTrack {
  /** Its tag (BCP 47). */
  language: string;
  label: string;
  address: string;
}

export interface TicketAnswer {
  ticket: string;
}

/** The name in localStorage of what the viewer's cookie would hold. */
export type ViewerKey = 'footlight_viewer';

/** Texts the script says, in the page's language; `{count}` and the like stand for values. */
export interface ClientTexts {
  play: string;
  pause: string;
  mute: string;
  unmute: string;
  /** The live edge: when there, and when behind. */
  at_live_edge: string;
  go_to_live_edge: string;
  enter_pip: string;
  leave_pip: string;
  enter_cast: string;
  leave_cast: string;
  enter_fullscreen: string;
  leave_fullscreen: string;
  /** The choice of a size: what the line carries, and `{quality}` where it is known which that is now. */
  quality_auto: string;
  quality_auto_now: string;
  /** The smallest size of all. */
  sound_only: string;
  /** `{speed}`: what it is now, such as 1.5×. */
  speed_now: string;
  /** What the button does, the choice of none, and what a key has done: `{label}` is the language. */
  captions_on: string;
  captions_off: string;
  captions_none: string;
  captions_now: string;
  captions_are_off: string;
  /** What a double tap has done, `{seconds}` in all. */
  skipped_on: string;
  skipped_back: string;
  /** aria-valuetext of the seek bar: `{time}` of `{total}`. */
  seek_position: string;
  /** Of a show that is on: how far behind its live edge. */
  behind: string;
  viewers_one: string;
  viewers: string;
  /** The same people before the show. */
  waiting_one: string;
  waiting: string;
  /** And after it, where there is nothing to watch. */
  here_one: string;
  here: string;
  /** `{time}`: when the show begins, which its owner has changed. */
  new_start: string;
  now_live: string;
  now_ended: string;
  now_video: string;
  cannot_play: string;
  /** The network is too slow: for `{quality}`, where there is a smaller one; else live, or for a recording. */
  slow_line_smaller: string;
  slow_line: string;
  slow_line_video: string;
  /** It carries no picture of what is live. */
  slow_line_sound: string;
  connection_lost: string;
  connected_again: string;
  video_failed: string;
  /** The link begins at `{time}` of the recording. */
  share_from: string;
  copied: string;
  copy_failed: string;
  /** A chat message's author when it is the viewer. */
  you: string;
  /** Stands for a viewer who has chosen no name. */
  guest: string;
  /** The badge beside the host's name. */
  host: string;
  /** The button of a line, of `{nick}`; above an answer, `{text}` is the beginning of what it answers, or that is gone. */
  reply_to: string;
  in_reply_to: string;
  reply_to_removed: string;
  /** What a screen reader is told when a line is pinned; `{text}` is the line. */
  now_pinned: string;
  slow_down: string;
  /** Of a slow chat, with `{seconds}`: how slow it is, and how long the viewer waits. */
  slow_mode: string;
  slow_wait: string;
  muted: string;
  too_long: string;
  chat_closed: string;
  fixed_nick: string;
  taken_over: string;
  crowded_out: string;
  banned: string;
  gone: string;
  /** Not everybody may watch, and this viewer may no longer. */
  no_pass: string;
  full: string;
  reload: string;
}
