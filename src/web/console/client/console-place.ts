// Where one is in the console: what each address shows, and the address of each view.

import { type AudiencePlace, writeAudiencePlace } from './audience-place.ts';
import { type AuditPlace, writeAuditPlace } from './audit-place.ts';
import { type ShowPlace, writeShowPlace } from './show-filter.ts';

export const channelTabs = ['control', 'page', 'access', 'shows', 'audience', 'videos'] as const;
export type ChannelTab = (typeof channelTabs)[number];

export const accountSections = [
  'people',
  'managers',
  'tokens',
  'webhooks',
  'storage',
  'audit',
  'nodes',
  'me',
] as const;
export type AccountSection = (typeof accountSections)[number];

export const channelStates = ['all', 'on_air', 'upcoming', 'past', 'deleted'] as const;
export type ChannelState = (typeof channelStates)[number];

export const videoStates = ['all', 'ready', 'working', 'failed', 'deleted'] as const;

/** Which videos are listed. */
export interface VideosAsked {
  state: (typeof videoStates)[number];
  q: string;
  p: number;
}

export interface ChannelPlace {
  view: 'channel';
  id: number;
  tab: ChannelTab;
  /** What of the tab is open: the id of a show, or of a viewer. */
  item?: string;
  /** What the tab's own view reads. */
  query?: string;
}

export type Place =
  | { view: 'channels'; state: ChannelState; q: string; p: number }
  | ChannelPlace
  | { view: 'videos'; asked: VideosAsked }
  | { view: 'account'; section: AccountSection; p: number; jobs: number; query?: string }
  | { view: 'sign-in'; to: string }
  | { view: 'link' }
  | { view: 'absent' };

/** Reads a path and query below `/console`. */
export function placeOf(address: string): Place {
  const url = new URL(address, 'http://any.invalid');
  const [view = '', id = '', tab = 'control', ...items] = url.pathname
    .replace(/^\/console\/?/, '')
    .replace(/\/$/, '')
    .split('/');
  const { searchParams: query } = url;
  if (view === 'sign-in' && id === '') return { view, to: safeTo(query.get('to')) };
  if (view === 'link' && id === '') return { view };
  if ((view === '' || view === 'channels') && id === '') {
    const state = channelStates.find((one) => one === query.get('state')) ?? 'all';
    return { view: 'channels', state, q: query.get('q') ?? '', p: pageIn(query) };
  }
  const section = accountSections.find((one) => one === (id || accountSections[0]));
  if (view === 'account' && section && tab === 'control' && items.length === 0)
    return {
      view,
      section,
      p: pageIn(query),
      jobs: pageIn(query, 'jobs'),
      ...(section === 'audit' && url.search !== '' && { query: url.search }),
    };
  if (view === 'videos' && id === '') return { view, asked: videosAsked(query) };
  const known = channelTabs.find((one) => one === tab);
  const item = known && itemOf(known, items);
  if (view === 'channels' && isId(id) && known && item !== undefined)
    return {
      view: 'channel',
      id: Number(id),
      tab: known,
      ...(item !== '' && { item }),
      ...(url.search !== '' && hasQuery(known) && { query: url.search }),
    };
  return { view: 'absent' };
}

function isId(text: string): boolean {
  return /^[1-9]\d{0,14}$/.test(text);
}

function hasQuery(tab: ChannelTab): boolean {
  return hasItems(tab) || tab === 'videos';
}

function hasItems(tab: ChannelTab): boolean {
  return tab === 'shows' || tab === 'audience';
}

/** Empty where the tab itself is meant, undefined where there is no such thing. */
function itemOf(tab: ChannelTab, [item = '', ...rest]: string[]): string | undefined {
  if (rest.length > 0 || (item !== '' && !hasItems(tab))) return undefined;
  if (tab === 'shows' && item !== '' && !isId(item)) return undefined;
  try {
    return decodeURIComponent(item);
  } catch {
    return undefined;
  }
}

export function videosAsked(query: URLSearchParams): VideosAsked {
  const state = videoStates.find((one) => one === query.get('state')) ?? 'all';
  return { state, q: query.get('q') ?? '', p: pageIn(query) };
}

function pageIn(query: URLSearchParams, name = 'p'): number {
  const p = Number(query.get(name) ?? 1);
  return Number.isSafeInteger(p) && p > 0 ? p : 1;
}

export const paths = {
  channels: ({
    state = 'all',
    q = '',
    p = 1,
  }: Partial<{ state: ChannelState; q: string; p: number }> = {}) =>
    `/console/channels${listQuery({ state, q, p })}`,
  videos: (asked: Partial<VideosAsked> = {}) => `/console/videos${listQuery(asked)}`,
  channelVideos: (id: number, asked: Partial<VideosAsked> = {}) =>
    `/console/channels/${id}/videos${listQuery(asked)}`,
  channel: (id: number, tab: ChannelTab = 'control') =>
    `/console/channels/${id}${tab === 'control' ? '' : `/${tab}`}`,
  account: (section: AccountSection = 'people') =>
    `/console/account${section === 'people' ? '' : `/${section}`}`,
  /** Its two lists, each at its page. */
  storage: ({ p = 1, jobs = 1 }: { p?: number; jobs?: number }) => {
    const pages = Object.entries({ p, jobs }).filter(([, page]) => page > 1);
    const query = pages.map(([name, page]) => `${name}=${page}`).join('&');
    return `/console/account/storage${query && `?${query}`}`;
  },
  audit: (place: AuditPlace = {}) => `/console/account/audit${writeAuditPlace(place)}`,
  show: (id: number, show: number, place: ShowPlace = { filter: {}, at: undefined }) =>
    `/console/channels/${id}/shows/${show}${writeShowPlace(place)}`,
  audience: (id: number, place: AudiencePlace) =>
    `/console/channels/${id}/audience${writeAudiencePlace(place)}`,
  viewer: (id: number, viewer: string) =>
    `/console/channels/${id}/audience/${encodeURIComponent(viewer)}`,
  /** `to`: where one was. */
  signIn: (to = '') =>
    `/console/sign-in${safeTo(to) === home ? '' : `?to=${encodeURIComponent(to)}`}`,
};

/** What is as usual is left out. */
function listQuery({ state = 'all', q = '', p = 1 }: { state?: string; q?: string; p?: number }) {
  const query = new URLSearchParams();
  if (state !== 'all') query.set('state', state);
  if (q !== '') query.set('q', q);
  if (p > 1) query.set('p', String(p));
  return query.size > 0 ? `?${query}` : '';
}

export const home = paths.channels();

/** Only a view of ours that is behind signing in: nobody is sent elsewhere by a link they were given. */
function safeTo(to: string | null): string {
  const ours = 'http://ours.invalid';
  const url = URL.parse(to ?? '', ours);
  const isView = url?.origin === ours && /^\/console\/(?!sign-in|link)/.test(url.pathname);
  return isView ? url.pathname + url.search : home;
}

/** What makes it another view, to which the keyboard goes, not the same one with another page or search. */
export function viewKey(place: Place): string {
  if (place.view === 'account') return `account ${place.section}`;
  return place.view === 'channel'
    ? `channel ${place.id} ${place.tab} ${place.item ?? ''}`
    : place.view;
}
