// The messages between a page and the service on `/audience`: one JSON object each.

/**
 * From the page: `audience/protocol/page-message-reader.ts` reads it, `audience/presence/page-message-handlers.ts` has its
 * handler. The first is `hello`, within five seconds.
 */
export type PageMessage = Hello | Report | Say | Rename | Share;

export interface Hello {
  type: 'hello';
  /** The page was served with it: it says, signed, whose page it is. */
  ticket: string;
  /** Random, one for each load of a page: tells a page that comes back from a copy of its tab. */
  instance: string;
  /** From the last welcome that this tab got, also before a reload. */
  resume?: string;
  /** The reports that this page has made in that session; the service hears them again where it was killed since. */
  said?: Said;
}

export interface Said {
  /** All together. */
  played_ms: number;
  /** Those of the last minute and a half, the oldest first: how long ago each was made, and what it said. */
  reports: readonly (readonly [ago_ms: number, played_ms: number, shown_at?: number])[];
}

export interface Report {
  type: 'report';
  /** How long the page has played and advanced since its last report. */
  played_ms: number;
  /** The date, in epoch milliseconds, that the playlist gives to the last picture of it; a player may not know. */
  shown_at?: number;
}

export interface Say {
  type: 'chat';
  text: string;
  /** The line that it answers. */
  reply_to?: number | undefined;
}

export interface Rename {
  type: 'nick';
  nick: string;
}

export interface Share {
  type: 'share';
  how: ShareWay;
}

export const shareWays = ['copy', 'system', 'qr'] as const;
export type ShareWay = (typeof shareWays)[number];

/** From the service: `web/pages/client/service-message-handlers.ts` has its handler. The first is `welcome` or `refused`. */
export type ServiceMessage =
  | Welcome
  | { type: 'live'; live: boolean }
  /** The channel's owner has changed it. */
  | { type: 'playbill'; playbill: Playbill }
  | { type: 'viewers'; count: number }
  | { type: 'chat'; messages: ShownMessage[] }
  | { type: 'chat_removed'; ids: number[] }
  | { type: 'chat_open'; open: boolean }
  /** Seconds between two lines of one viewer; 0: as they like. */
  | { type: 'chat_slow'; slow_seconds: number }
  /** The line above the chat; null where there is none any more. */
  | { type: 'chat_pinned'; message: ShownMessage | null }
  /** Whether the viewer may write now has changed. */
  | { type: 'muted'; muted: boolean }
  /** `fixed`: by the link that brought the viewer here, so they cannot change it. */
  | { type: 'nick'; nick: string; fixed: boolean }
  /** The push has become this video. */
  | { type: 'video'; id: number }
  /** `wait_ms`: of a slow chat, until the viewer may write again. */
  | { type: 'notice'; notice: Notice; wait_ms?: number }
  | { type: 'refused'; reason: Refusal };

export interface Welcome {
  type: 'welcome';
  /** To be shown when this tab comes back: then its session goes on. */
  resume: string;
  viewer: {
    nick: string;
    fixed: boolean;
    /** Not of a service of the version before. */
    muted?: boolean;
    author: string;
  };
  /** How often a page reports while nothing changes. */
  beat_ms: number;
  live: boolean;
  viewers: number;
  chat: {
    open: boolean;
    /** Not of a service of the version before. */
    slow_seconds?: number;
    messages: ShownMessage[];
    pinned: ShownMessage | null;
  };
  /** The video that the last push became, where it has just become one. */
  video: number | null;
  playbill: Playbill;
}

/** The name and the start of the show; the rest of a channel's page stays as it was loaded. */
export interface Playbill {
  /** The channel's. */
  name: string;
  /** Epoch milliseconds; null where it is not set. */
  start_time: number | null;
}

/**
 * A chat message as every page may see it: taken by `audience/chat/chat-writing.ts`, kept by `audience/chat/chat-store.ts`,
 * told by `audience/chat/shown-chat.ts`, drawn by `web/pages/client/chat-log.ts`. What is kept of a viewer is exported,
 * erased and aged by `audience/privacy/`.
 */
export interface ShownMessage {
  id: number;
  /** Stands for the writer in this channel; it does not tell their viewer id. */
  author: string;
  nick: string;
  text: string;
  /** Epoch milliseconds. */
  at: number;
  /** There where the channel's host wrote it. */
  host?: true;
  /** There where it answers another line. */
  reply?: {
    id: number;
    /** Not where that line was removed. */
    quote?: Quote;
  };
}

/** The beginning of a line that is answered. */
export interface Quote extends Pick<ShownMessage, 'author' | 'nick' | 'text' | 'host'> {}

export type Notice =
  | ('slow_down' | 'muted' | 'too_long' | 'chat_closed')
  | ('fixed_nick' | 'taken_over');

export type Refusal =
  | ('ticket' | 'banned' | 'full' | 'unavailable' | 'origin' | 'gone')
  /** Not everybody may watch, and its page's pass is none, or was taken back. */
  | 'no_pass';

/** Why the service closes. After any other code a page comes back, a little later each time. */
export const closeCodes = {
  /** Do not come back. Where it was the ticket, a page loaded anew has a new one; a ban may end one day. */
  refused: 4001,
  /** Come back later. */
  later: 4002,
  /** Another connection goes on with this session. */
  takenOver: 4003,
  /** Its viewer was erased: come back as somebody new. */
  erased: 4004,
  /** Its viewer has too many pages open. Come back when somebody uses this one again, or it would push out the next. */
  crowdedOut: 4005,
  /** Its node is about to go, and others are there: come back at once. */
  elsewhere: 4006,
  /** The service stops, and will be back. */
  restart: 1012,
} as const;
