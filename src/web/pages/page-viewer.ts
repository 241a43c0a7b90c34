// Who is looking at a page: a user that a signed link names, a viewer whom a cookie remembers, or somebody new.
import type { DeviceOf } from '../../audience/viewers/device.ts';
import { originOf } from '../../audience/viewers/origin.ts';
import { signTicket } from '../../audience/viewers/ticket.ts';
import {
  isOfBrowser,
  newBrowserId,
  readBrowserId,
  signBrowserId,
  viewerIdOf,
} from '../../audience/viewers/viewer-cookie.ts';
import { readWatchLink } from '../../audience/viewers/watch-link.ts';
import type { WatchLinkBook } from '../../audience/viewers/watch-link-refusals.ts';
import type { PlainCall } from '../../base/api/plain-answer.ts';
import type { WatchedChannel } from '../../library/channels/watched-channel-store.ts';
import { cookieValues } from './page-cookies.ts';
import type { Language } from './page-data.ts';

export interface PageViewer {
  /** Empty for robots, who are not viewers. */
  ticket: string;
  /** What the cookie holds, for a page to keep by itself where a cookie might not come back. */
  token: string;
  /** Sent with the page; undefined where there is nothing to set. */
  cookie: string | undefined;
}

interface Asked {
  call: Pick<PlainCall, 'header' | 'query' | 'baseUrl'>;
  /** Whom the pass was given to, where they registered for it. */
  registered?: string | undefined;
  channel: Pick<WatchedChannel, 'id' | 'account_id' | 'viewer_secret'>;
  language: Language;
  isEmbed: boolean;
  /** What lets the page's connection in; empty where everybody may watch. */
  pass: string;
  secret: string;
  deviceOf: DeviceOf;
  /** A link that names nobody is noted by its channel: strangers send as many as they like. */
  links: WatchLinkBook;
  now: number;
}

export function pageViewer(asked: Asked): PageViewer {
  const { call, channel, registered, language, isEmbed, pass, secret, deviceOf, links, now } =
    asked;
  if (deviceOf(call.header('user-agent') ?? '').isBot)
    return { ticket: '', token: '', cookie: undefined };
  const origin = originOf(call.header('referer'), { host: call.header('host') ?? '', isEmbed });
  const shown = { channel_id: channel.id, origin, language, issued_at: now, pass };
  const linked = readWatchLink(channel.viewer_secret, call.query, channel.id, now);
  // A link that is wrong or too old names nobody; whoever follows it is still a viewer.
  if (typeof linked === 'object')
    return { ticket: signTicket(secret, { ...shown, ...linked }), token: '', cookie: undefined };
  if (linked !== 'none') links.note(linked, `channel ${channel.id}`);
  const unnamed = { nick: '', phone: '' };
  // A browser that has lost its cookie is known by its pass. One that has a cookie is somebody by itself, whoever gave it
  // the pass; and whom a link has named only a link names.
  const isNew = readCookie(secret, call.header('cookie')) === undefined;
  if (isNew && registered !== undefined && isOfBrowser(registered)) {
    const ticket = signTicket(secret, { ...shown, ...unnamed, viewer_id: registered });
    return { ticket, token: '', cookie: undefined };
  }
  const { viewer_id, token, cookie } = browserViewer(asked, channel.account_id);
  const ticket = signTicket(secret, { ...shown, ...unnamed, viewer_id });
  return { ticket, token: isEmbed ? token : '', cookie };
}

export interface BrowserViewer {
  viewer_id: string;
  /** What the cookie holds. */
  token: string;
  /** Undefined where the browser has it. */
  cookie: string | undefined;
}

/** Whom the cookie remembers, or somebody new. */
export function browserViewer(
  { call, isEmbed, secret }: Pick<Asked, 'call' | 'isEmbed' | 'secret'>,
  account_id: number,
): BrowserViewer {
  const known = readCookie(secret, call.header('cookie'));
  const browserId = known ?? newBrowserId();
  const viewer_id = viewerIdOf(secret, { account_id, browserId });
  const token = signBrowserId(secret, browserId);
  const { baseUrl } = call;
  const cookie = known === undefined ? writeCookie(token, { isEmbed, baseUrl }) : undefined;
  return { viewer_id, token, cookie };
}

const cookieName = 'footlight_viewer';
/** As long as browsers keep a cookie at most. */
const cookieSeconds = 400 * 24 * 3_600;

/** The first that we have signed counts. */
function readCookie(secret: string, header: string | null): string | undefined {
  for (const value of cookieValues(header, cookieName)) {
    const browserId = readBrowserId(secret, value);
    if (browserId !== undefined) return browserId;
  }
  return undefined;
}

/** In a frame of another site only a cookie of that frame comes back, and only over HTTPS. */
function writeCookie(
  token: string,
  { isEmbed, baseUrl }: { isEmbed: boolean; baseUrl: string },
): string {
  const isSecure = baseUrl.startsWith('https:');
  const site = isEmbed && isSecure ? 'SameSite=None; Partitioned' : 'SameSite=Lax';
  return `${cookieName}=${token}; Path=/; Max-Age=${cookieSeconds}; HttpOnly; ${site}${isSecure ? '; Secure' : ''}`;
}
