// Settings of what one who asks over HTTP may hold and have under way.
import { type HttpBounds, httpBounds } from '../web/http/http-limits.ts';
import { byteCount, type SettingsOf, sizeText, whole } from './setting.ts';

export const httpSettings: SettingsOf<HttpBounds> = {
  connectionsMax: {
    variable: 'HTTP_CONNECTIONS',
    default: String(httpBounds.connectionsMax),
    sentence:
      'HTTP connections that may be open at once, pages that are connected not counted; 0 for three quarters of the descriptors that the system allows. One network may have half of what the others leave.',
    read: whole(0, 1_000_000),
  },
  connectsPerSecond: {
    variable: 'HTTP_CONNECTS_PER_NETWORK',
    default: String(httpBounds.connectsPerSecond),
    sentence:
      'New connections that one network may open a second, and twice as many at once; all networks together may open twice as many. A network that opens more is held back: one of its connections in 64 gets in, or fewer where that is still too many. When it tries half of the limit or less, more and more get in again. With TLS a network is held back from a tenth of the limit on, or a quarter of it at once, but only while its handshakes have to wait.',
    read: whole(1, 1_000_000),
  },
  idleSeconds: {
    variable: 'HTTP_IDLE_SECONDS',
    default: String(httpBounds.idleSeconds),
    sentence: 'A connection without a byte for so many seconds is closed.',
    read: whole(5, 255),
  },
  bytesPerSecond: {
    variable: 'HTTP_BYTES_PER_SECOND',
    default: sizeText(httpBounds.bytesPerSecond),
    sentence:
      'Bytes a second that one connection may send beyond its requests; one network may send four times as many. Who sends more is closed.',
    read: byteCount('16K'),
  },
  bodyMs: {
    variable: 'HTTP_BODY_MS',
    default: String(httpBounds.bodyMs),
    sentence: 'The body of a request must be there within so many milliseconds.',
    read: whole(1_000, 600_000),
  },
  underWayMax: {
    variable: 'HTTP_REQUESTS',
    default: String(httpBounds.underWayMax),
    sentence:
      'Requests that may be under way at once; one network may have half of what the others leave. Beyond it they are answered 503.',
    read: whole(10, 1_000_000),
  },
  waitingMax: {
    variable: 'HTTP_REQUESTS_WAITING',
    default: String(httpBounds.waitingMax),
    sentence: 'Requests that may wait to be begun, shared in the same way.',
    read: whole(1, 1_000_000),
  },
  untakenBytesMax: {
    variable: 'HTTP_UNREAD_MEMORY',
    default: sizeText(httpBounds.untakenBytesMax),
    sentence:
      'Memory of answers that one HTTP/2 connection has not read yet; beyond it its requests are answered 503.',
    read: byteCount('64K'),
  },
  untakenBytesInAllMax: {
    variable: 'ALL_HTTP_UNREAD_MEMORY',
    default: sizeText(httpBounds.untakenBytesInAllMax),
    sentence: 'The same of all connections; one network may have half of what the others leave.',
    read: byteCount('1M'),
  },
  untakenMs: {
    variable: 'HTTP_UNREAD_MS',
    default: String(httpBounds.untakenMs),
    sentence:
      'An answer over HTTP/2 of which nothing was read for so many milliseconds is broken off; so are live media and scripts of pages that are not read whole in twice as many.',
    read: whole(1_000, 3_600_000),
  },
  unsentBytesMax: {
    variable: 'HTTP_UNSENT_MEMORY',
    default: sizeText(httpBounds.unsentBytesMax),
    sentence:
      "Memory that the system may hold for answers which are not taken; 0 for a quarter of the machine's. When it is used up, a network with more than half of what the others leave loses the connections that hold most.",
    read: byteCount('0'),
  },
  exportsMax: {
    variable: 'EXPORTS',
    default: String(httpBounds.exportsMax),
    sentence:
      'Exports that may be under way at once; one account may have half of what the others leave, and a manager half of what the others in the account do.',
    read: whole(1, 1_000),
  },
  exportStallMs: {
    variable: 'EXPORT_STALL_MS',
    default: String(httpBounds.exportStallMs),
    sentence:
      'An export of which nothing was read for so many milliseconds gives its place up to another.',
    read: whole(1_000, 3_600_000),
  },
  followersMax: {
    variable: 'EVENT_FOLLOWERS',
    default: String(httpBounds.followersMax),
    sentence:
      'Connections that may follow events at once; one account may have half of what the others leave, and a manager half of what the others in the account do.',
    read: whole(1, 100_000),
  },
};
