// The border between a page and its script: the data the page carries, and the names of its elements.
//
// Data: `<script type="application/json" id="page">` holds a WatchData (/watch, /m, /embed) or a VideoData
// (/videos, /embed/videos). The script is loaded as a module, so the whole page is there when it runs.
//
// What changes by one attribute alone; the style sheet shows and hides the rest by it:
//   body[data-state]          waiting | live | ended | video: what the page is about now. What has data-at="live
//                             video" is seen in those states only, badge and live-only controls among them.
//   #player[data-playback]    idle | loading | playing | paused | stalled | failed. Spinner by it.
//   #player[data-quiet]       "true" while nobody moves: controls and pointer fade away. Else "false".
//   button[data-on]           "true" | "false" of a button with two icons; its aria-label is the script's to
//                             change with it (texts of this file).
//   #chat[data-open]          "true" | "false": whether the channel's chat is open.
//   [hidden]                  on the elements that are marked (h) below: the server sends them hidden.
//
// The player, on every page:
//   #player                   section; what goes full screen; takes the keyboard's short cuts
//   #video                    the <video>, playsinline, without controls; muted from the server
//   #big-play (h)             button over the picture: where the browser lets nothing play by itself
//   #unmute (h)               button over the picture: it plays, but muted
//   #message (h)              role=alert: what went wrong, in the place of the picture
//   #unsupported (h)          the same for a browser that can play nothing of ours; its text is there
//   #not-started              the same where the script did not run; the style sheet shows it after some seconds,
//                             unless the script has hidden it
//   #controls                 role=group, holds, in this order:
//     #play                   button, data-on: playing
//     #mute                   button, data-on: muted
//     #volume                 input range 0 to 100; --done on its style: 0 to 1
//     #live-edge              button, seen while live; data-on: at the live edge
//     #time-now, #time-total  seen in the state video; texts such as 1:02:03
//     #seek                   input range 0 to its max in seconds, seen in the state video; --done and --loaded on its style: 0 to 1;
//                             aria-valuetext is the script's
//     #quality (h)            select, seen in the state video; options are there (VideoData.sources in order, value = index)
//     #pip (h)                button, data-on; unhidden where the browser can
//     #fullscreen (h)         button, data-on; unhidden where the browser can
//   #announce                 role=status, not seen: what a screen reader is told (texts.now_live and the like)
//
// The watch pages (in an embed only #viewers, #countdown, #start and #watch-video of these):
//   #viewers                  text of texts.viewers with the count; empty until it is known
//   #countdown (h)            role=timer; #countdown-days, -hours, -minutes, -seconds hold the numbers, of which
//                             #countdown-days-part (h) is unhidden from a day on
//   #countdown-over           seen where no start is ahead: none is set, or its time has come and nothing has begun
//   #start                    seen where one was ahead; holds #start-time, a <time datetime>, which the script
//                             writes anew in the viewer's own time zone
//   #title                    the channel's name; an embed has none
//   #watch-video (h)          link to the last recording, hidden where there is none; the script may play it here
//                             instead (state `video`), and sets its address when another is made
//   #share                    button; opens #share-dialog (<dialog>): #share-link (input, read only), #share-copy,
//                             #share-system (h), #share-qr (<details>, there only where the channel shows it),
//                             #share-note (role=status), #share-close
//   #chat                     section, holds:
//     #chat-log               <ol>, the one that scrolls; a message is <li class="message" data-id="…">, `own` too where it is the
//                             viewer's: <bdi class="author" data-hue="0…7">, <bdi class="text">, <time>
//     #chat-empty             seen while the log is empty, by style alone
//     #chat-new (h)           button: newer messages are below
//     #chat-form              holds #nick-asked (the label of #nick, an input) or, where a link has given the name,
//                             #nick-given (h) with #nick-name; #chat-text (input), #chat-send
//     #chat-notice            role=status: notices such as texts.slow_down

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
  live: boolean;
  /** Whether anything was ever pushed, or brought as a video. */
  has_been_live: boolean;
  /** Epoch milliseconds; null where it is not set. */
  start_time: number | null;
  /** The service's clock when the page was made: countdowns hold on machines whose clock is wrong. */
  now: number;
  /** The channel's last recording; its playlist is empty where it lies on another site, then it is only linked. */
  video: { id: number; playlist: string } | null;
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
  /** The source first, then the variants from the largest down; empty where there is only `file`. */
  sources: VideoSource[];
  /** The original file, for browsers without HLS of any kind; may be empty. */
  file: string;
  /** Seconds. */
  duration: number;
  texts: ClientTexts;
}

export interface VideoSource {
  /** `Source`, `720p`, … */
  label: string;
  playlist: string;
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
  enter_fullscreen: string;
  leave_fullscreen: string;
  /** aria-valuetext of the seek bar: `{time}` of `{total}`. */
  seek_position: string;
  viewers_one: string;
  viewers: string;
  /** `{time}`: when the show begins, which its owner has changed. */
  new_start: string;
  now_live: string;
  now_ended: string;
  now_video: string;
  cannot_play: string;
  connection_lost: string;
  connected_again: string;
  video_failed: string;
  copied: string;
  copy_failed: string;
  /** A chat message's author when it is the viewer. */
  you: string;
  /** Whoever has chosen no name. */
  guest: string;
  slow_down: string;
  muted: string;
  too_long: string;
  chat_closed: string;
  fixed_nick: string;
  taken_over: string;
  crowded_out: string;
  banned: string;
  full: string;
  reload: string;
}
