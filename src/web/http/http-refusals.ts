// Why somebody who asks over HTTP is refused or cut: what is counted, and what it means to an operator.
import type { RefusalBook } from '../../base/peers/refusals.ts';

export const httpRefusals = {
  host: 'The Host header is no host name',
  foreign_page:
    "A request with the console's cookie, or one that signs in, came from another's page",
  body: 'The body of its request was longer than 64 KB (a picture 4 MB), nested deeper than 32, or not there in time (HTTP_BODY_MS)',
  gone: 'It left, or was closed for sending more, while its request waited for a turn',
  connections:
    'Its network had more connections than its share; the idlest were closed (HTTP_CONNECTIONS)',
  connects:
    'Its network opens more connections than browsers and programs do (HTTP_CONNECTS_PER_NETWORK)',
  hellos:
    'Its network opened many connections, and began TLS faster than it can be answered; those that wait were closed, and few come in for a while (HTTP_CONNECTS_PER_NETWORK)',
  crowd: 'Very many connect, and its network had done so just before (HTTP_CONNECTS_PER_NETWORK)',
  bytes:
    'Much came over it that was no request, or request after request that was refused; it was closed (HTTP_BYTES_PER_SECOND, HTTP_REQUESTS_WAITING)',
  dropped:
    'The system did not let its network connect: it had done so, was closed for what it sent, or gave requests up, too often; of several networks at once each has the same part of the count (HTTP_CONNECTS_PER_NETWORK, HTTP_BYTES_PER_SECOND)',
  busy: 'As many requests are under way or wait as may (HTTP_REQUESTS, HTTP_REQUESTS_WAITING)',
  busy_network:
    'Its network has its share of the requests that are under way or wait (HTTP_REQUESTS, HTTP_REQUESTS_WAITING)',
  unread:
    'It leaves too much of what it asked for over HTTP/2 unread (HTTP_UNREAD_MEMORY, ALL_HTTP_UNREAD_MEMORY)',
  unsent:
    'It did not take what it asked for, and its network had more than its share of the memory of that; it was closed (HTTP_UNSENT_MEMORY)',
  stalled:
    'Nothing of an answer over HTTP/2 was taken for long, or live media and scripts of pages not whole in twice as long; it was broken off (HTTP_UNREAD_MS)',
  upload: 'As many files are uploaded at once as may',
  upload_account: 'Its account has its share of the files that are uploaded at once',
  export: 'As many exports are under way as may (EXPORTS)',
  export_account: 'Its account has its share of the exports that are under way (EXPORTS)',
  export_manager: 'Its manager has their share of the exports of the account (EXPORTS)',
  follower: 'As many follow events as may (EVENT_FOLLOWERS)',
  follower_account:
    'Its account, or its manager in it, has its share of those that follow events (EVENT_FOLLOWERS)',
  export_stalled: 'Nothing of an export was taken for long; it was broken off (EXPORT_STALL_MS)',
} as const;

export type HttpReason = keyof typeof httpRefusals;
export type HttpBook = RefusalBook<HttpReason>;
