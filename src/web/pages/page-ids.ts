// The elements that a page and its script both know: their ids, and what each is. Markup and script have no others.
//
// What changes by one attribute alone; the style sheet shows and hides the rest by it:
//   body[data-state]          waiting | live | ended | video: what the page is about now. What has data-at="live
//                             video" is seen in those states only, badge and live-only controls among them.
//   body[data-shape]          tall | wide: whether the picture stands upright; :root has its --shape, width by height.
//   body[data-typing]         "true" while a phone's keyboard lies over the page: --seen-top and --seen-height are the rest.
//   #player[data-playback]    idle | loading | playing | paused | stalled | failed. Spinner by it.
//   #player[data-picture]     moving | last | none: no pictures come, the last is shown; or none, for a while already.
//   #player[data-quiet]       "true" while nobody moves: controls and pointer fade away. Else "false".
//   #player[data-captions]    low | high: where the captions that are shown now stand; low ones make room for the bar.
//   button[data-on]           "true" | "false" of a button with two icons; its aria-label is the script's to
//                             change with it (texts of page-data.ts).
//   #chat[data-open]          "true" | "false": whether the viewer may write: the channel's chat is open, they are not muted.
//   [hidden]                  on the elements that are marked (h) below: the server sends them hidden.
import { type Html, raw } from './html.ts';

/** By id, the name of the element. */
export const pageElements = {
  /** The page's data as JSON (page-data.ts). */
  page: 'script',

  // The player, on every page.
  /** What goes full screen; it takes the keyboard's short cuts. */
  player: 'section',
  /** playsinline, without controls; muted from the server. */
  video: 'video',
  /** (h) Over it: the last picture, while the sound plays alone. */
  'last-picture': 'canvas',
  /** (h) Over the picture: where the browser lets nothing play by itself. */
  'big-play': 'button',
  /** (h) Over the picture: it plays, but muted. */
  unmute: 'button',
  /** Over the picture, seen for a moment: what a key or a finger has done; data-place: left | middle | right. */
  answer: 'p',
  /** (h) At the top of the picture: that the viewer's network is too slow, and what helps. */
  'slow-line': 'p',
  /** (h) That it plays on another screen, in the place of the picture. */
  'cast-note': 'p',
  /** (h) role=alert: what went wrong, in the place of the picture. */
  message: 'p',
  /** (h) The same for a browser that can play nothing of ours; its text is there. */
  unsupported: 'p',
  /** The same where the script did not run: the style sheet shows it after some seconds, unless the script hid it. */
  'not-started': 'p',
  /** role=status, not seen: what a screen reader is told (texts.now_live and the like). */
  announce: 'p',

  // The bar of controls.
  /** role=group; it holds the others. */
  controls: 'div',
  /**
   * (h) A range in seconds; --done and --loaded on its style: 0 to 1; aria-valuetext is the script's. Unhidden where
   * there is something to go back to, as the next but one.
   */
  seek: 'input',
  /** (h) Over the bar, while a pointer is on it: what lies there; it holds the next two. */
  'seek-peek': 'div',
  /** (h) */
  'seek-picture': 'span',
  'seek-time': 'span',
  /** data-on: playing. */
  play: 'button',
  /** data-on: muted. */
  mute: 'button',
  /** A range from 0 to 100; --done on its style: 0 to 1. */
  volume: 'input',
  /** Seen while live; data-on: at the live edge. */
  'live-edge': 'button',
  /** (h) It holds the next two: texts such as 1:02:03. At the live edge the first is not seen. */
  times: 'span',
  'time-now': 'span',
  'time-total': 'span',
  /** (h) How far behind the live edge, such as −1:02. */
  behind: 'span',
  /** Seen in the state video; values as in speeds.ts. */
  speed: 'select',
  /** (h) Unhidden where there is a choice; its options are the script's. */
  quality: 'select',
  /** (h) data-on: they are shown; unhidden where a video has captions in one language. */
  captions: 'button',
  /** (h) data-on; unhidden where there are several; it holds the next, whose options are the script's. */
  'captions-pick': 'span',
  'captions-choice': 'select',
  /** (h) data-on; unhidden where the browser can, as the next. */
  pip: 'button',
  /** (h) Unhidden where there is a screen to play on; data-on: it plays there. */
  cast: 'button',
  fullscreen: 'button',

  // The watch pages. Of what follows an embed has `viewers`, the countdown, the start and `watch-video`.
  /** The text of texts.viewers, before the show of texts.waiting and after it of texts.here, with the count; empty until it is known. */
  viewers: 'span',
  /** (h) role=timer; what follows holds the numbers. */
  countdown: 'div',
  'countdown-days': 'b',
  'countdown-hours': 'b',
  'countdown-minutes': 'b',
  'countdown-seconds': 'b',
  /** (h) Unhidden from a day on. */
  'countdown-days-part': 'span',
  'countdown-hours-part': 'span',
  'countdown-minutes-part': 'span',
  'countdown-seconds-part': 'span',
  /** Seen where no start is ahead: none is set, or its time has come and nothing has begun. */
  'countdown-over': 'p',
  /** Seen where a start is ahead; it holds the next. */
  start: 'p',
  /** The script writes it anew in the viewer's own time zone. */
  'start-time': 'time',
  /**
   * (h) To the last recording, hidden where there is none; the script may play it here instead (state `video`), and
   * sets its address when another is made.
   */
  'watch-video': 'a',
  /** The channel's name. */
  title: 'h1',

  // Sharing.
  /** Opens the dialog. */
  share: 'button',
  'share-dialog': 'dialog',
  /** The dialog's name. */
  'share-title': 'h2',
  /** Read only. */
  'share-link': 'input',
  'share-copy': 'button',
  /** (h) Unhidden for a recording that has begun; it holds the next, and its name: texts.share_from. */
  'share-from': 'label',
  'share-from-here': 'input',
  'share-from-name': 'span',
  /** (h) Unhidden where the browser can. */
  'share-system': 'button',
  /** There only where the channel shows it. */
  'share-qr': 'details',
  /** role=status. */
  'share-note': 'p',
  'share-close': 'button',

  // Chat.
  /** It holds the others. */
  chat: 'section',
  /** (h) What is pinned above the log; it holds the next. */
  'chat-pinned': 'aside',
  /** The line, drawn as in the log. */
  'pinned-line': 'p',
  /**
   * The one that scrolls; a message is <li class="message" data-id="…">, `own` too where it is the viewer's and
   * `by-host` where it is the host's: where it answers one <button class="quote" data-quotes="…">, <bdi class="author" data-hue="0…7">, <span class="host">, <span class="text">
   * with an <a> for each address in it, <time>, <button class="reply">.
   */
  'chat-log': 'ol',
  /** Seen while the log is empty, by style alone. */
  'chat-empty': 'p',
  /** (h) Newer messages are below. */
  'chat-new': 'button',
  /** role=status: notices such as texts.slow_down. */
  'chat-notice': 'p',
  /** Seen in the place of the form where data-open is "false": texts.chat_closed, or texts.muted. */
  'chat-closed': 'p',
  /** It holds what follows. */
  'chat-form': 'form',
  /** The label of the next. */
  'nick-asked': 'label',
  nick: 'input',
  /** (h) In the place of both, where a link has given the name; it holds the next. */
  'nick-given': 'p',
  'nick-name': 'bdi',
  /** (h) In a slow chat: how slow it is, or how long the viewer waits; data-waits: "true" | "false". */
  'chat-slow': 'p',
  /** (h) What the next line answers, and a button that ends it; it holds the next two. */
  'chat-reply': 'p',
  'chat-reply-text': 'span',
  'chat-reply-end': 'button',
  'chat-text': 'input',
  'chat-send': 'button',
} as const;

export type PageId = keyof typeof pageElements;

/** A script asks for them with care: of the pages that it runs in, some have none. */
export type PageIdOfSome = 'viewers' | 'watch-video' | 'title' | 'share-qr';

/** The attribute, for markup. */
export function id(name: PageId): Html {
  return raw(`id="${name}"`);
}
