// Why somebody who asks over HTTP is refused or cut: what `/metrics` counts and an operator reads.
import type { Peers } from '../peers/peers.ts';
import type { RefusalBook } from '../peers/refusals.ts';

const sentences = {
  host: 'the Host header is no host name',
  gone: 'it left, or was closed for sending more, while its request waited for a turn',
  connections: 'its network had more connections than its share; the idlest were closed',
  busy: 'as many requests are under way or wait as may',
  busy_network: 'its network has its share of the requests that are under way or wait',
  unread: 'it leaves too much of what it asked for over HTTP/2 unread',
  stalled: 'nothing of an answer over HTTP/2 was taken for long; it was broken off',
  export: 'as many exports are under way as may',
  export_account: 'its account has its share of the exports that are under way',
  export_stalled: 'nothing of an export was taken for long; it was broken off',
} as const;

export type HttpRefusals = RefusalBook<keyof typeof sentences>;

export function openHttpRefusals({ refusals }: Pick<Peers, 'refusals'>): HttpRefusals {
  return refusals.book('http', sentences);
}
