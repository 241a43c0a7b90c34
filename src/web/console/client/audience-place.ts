// Which list of a channel's audience is looked at, and what of it, as it stands in the address.
import { type AudiencePeriod, readPeriod, wholePeriod, writePeriod } from './audience-period.ts';

export const audienceLists = ['visitors', 'sessions'] as const;
export type AudienceList = (typeof audienceLists)[number];

export interface AudiencePlace {
  list: AudienceList;
  /** Part of a name, a phone number or a viewer id. */
  q: string;
  /** Also those who hardly watched. */
  isAll: boolean;
  /** Of visits: a visitor is one of all time. */
  period: AudiencePeriod;
  p: number;
}

export function readAudiencePlace(query: string): AudiencePlace {
  const given = new URLSearchParams(query);
  const p = Number(given.get('p') ?? 1);
  const list = audienceLists.find((one) => one === given.get('list')) ?? 'visitors';
  return {
    list,
    q: given.get('q') ?? '',
    isAll: given.get('watched') !== '1',
    period: list === 'sessions' ? readPeriod(given) : wholePeriod,
    p: Number.isSafeInteger(p) && p > 0 ? p : 1,
  };
}

/** With its question mark; empty for the first page of all visitors. */
export function writeAudiencePlace({ list, q, isAll, period, p }: AudiencePlace): string {
  const query = new URLSearchParams();
  if (list !== 'visitors') query.set('list', list);
  if (q !== '') query.set('q', q);
  if (!isAll) query.set('watched', '1');
  if (list === 'sessions') writePeriod(period, query);
  if (p > 1) query.set('p', String(p));
  return query.size > 0 ? `?${query}` : '';
}

/** As the service is asked: each list has the interface's own filters, of which the period comes as its two times. */
export function audiencePath(
  channel_id: number,
  { list, q, isAll, p }: AudiencePlace,
  period: { start_time?: string; end_time?: string },
): string {
  const query = new URLSearchParams({ p: String(p) });
  if (q !== '') query.set('q', q);
  if (list === 'visitors') query.set('filter', isAll ? '0' : '1');
  else {
    query.set('filter_watch_time', isAll ? '0' : '1');
    for (const [name, time] of Object.entries(period)) query.set(name, time);
  }
  return `/manage/v1/channels/${channel_id}/${list}?${query}`;
}
