// Settings of what one RTMP connection, network or account may send, hold and have under way.
import { type RtmpBounds, rtmpBounds } from '../stream/rtmp/rtmp-limits.ts';
import { byteCount, type SettingsOf, sizeText, whole } from './setting.ts';

export const rtmpSettings: SettingsOf<RtmpBounds> = {
  publishersMax: {
    variable: 'RTMP_PUBLISHERS',
    default: String(rtmpBounds.publishersMax),
    sentence: 'Pushes at once; one account may have half of those that the others leave.',
    read: whole(1, 100_000),
  },
  playersMax: {
    variable: 'RTMP_PLAYERS',
    default: String(rtmpBounds.playersMax),
    sentence:
      'RTMP players at once; one network (an address, of IPv6 one /64) may have half of those that the others leave, unless it is allowed more.',
    read: whole(1, 100_000),
  },
  strangersMax: {
    variable: 'RTMP_STRANGERS',
    default: String(rtmpBounds.strangersMax),
    sentence:
      'RTMP connections at once that neither publish nor play yet, shared in the same way; the oldest of the network that has most makes room for a newer one.',
    read: whole(1, 100_000),
  },
  connectsPerSecond: {
    variable: 'RTMP_CONNECTS_PER_NETWORK',
    default: String(rtmpBounds.connectsPerSecond),
    sentence:
      'RTMP connections that one network may open in a second, and as many at once, unless it is allowed more; all together four times as many.',
    read: whole(1, 100_000),
  },
  strangerMessagesMax: {
    variable: 'RTMP_STRANGER_MESSAGES',
    default: String(rtmpBounds.strangerMessagesMax),
    sentence: 'RTMP messages that one of these may send before it publishes or plays.',
    read: whole(16, 100_000),
  },
  strangerBytesMax: {
    variable: 'RTMP_STRANGER_BYTES',
    default: sizeText(rtmpBounds.strangerBytesMax),
    sentence: 'Bytes that it may send before, the handshake not counted.',
    read: byteCount('4K'),
  },
  startWithinMs: {
    variable: 'RTMP_START_MS',
    default: String(rtmpBounds.startWithinMs),
    sentence:
      'Milliseconds that it has from the handshake on to publish or play; half as many for the handshake.',
    read: whole(1_000, 600_000),
  },
  silenceMaxMs: {
    variable: 'RTMP_SILENCE_MS',
    default: String(rtmpBounds.silenceMaxMs),
    sentence: 'A push without sound or picture for so many milliseconds is ended.',
    read: whole(1_000, 600_000),
  },
  stallMaxMs: {
    variable: 'RTMP_UNREAD_MS',
    default: String(rtmpBounds.stallMaxMs),
    sentence: 'An RTMP player that has read nothing for so many milliseconds is cut.',
    read: whole(1_000, 600_000),
  },
  publisherMessagesPerSecond: {
    variable: 'RTMP_MESSAGES_PER_SECOND',
    default: String(rtmpBounds.publisherMessagesPerSecond),
    sentence:
      'RTMP messages a second that a push may send for long, and ten times as many at once; more for what is pushed faster than it plays.',
    read: whole(100, 1_000_000),
  },
  playerMessagesPerSecond: {
    variable: 'RTMP_PLAYER_MESSAGES_PER_SECOND',
    default: String(rtmpBounds.playerMessagesPerSecond),
    sentence: 'The same for an RTMP player.',
    read: whole(10, 1_000_000),
  },
  lookUpsMax: {
    variable: 'RTMP_KEY_LOOK_UPS',
    default: String(rtmpBounds.lookUpsMax),
    sentence:
      'Publish keys that are looked up at once; one network may have half of what the others leave. The others wait.',
    read: whole(1, 1_000),
  },
  earlyBytesMax: {
    variable: 'RTMP_WAITING_MEMORY',
    default: sizeText(rtmpBounds.earlyBytesMax),
    sentence:
      'Memory of what one RTMP connection has sent and waits for its turn; beyond it the connection is cut.',
    read: byteCount('64K'),
  },
  earlyBytesInAllMax: {
    variable: 'ALL_RTMP_WAITING_MEMORY',
    default: sizeText(rtmpBounds.earlyBytesInAllMax),
    sentence: 'The same of all connections.',
    read: byteCount('1M'),
  },
  unreadBytesMax: {
    variable: 'RTMP_UNREAD_MEMORY',
    default: sizeText(rtmpBounds.unreadBytesMax),
    sentence:
      'An RTMP player that has not read so much is left out until it has, and goes on with the next key frame.',
    read: byteCount('64K'),
  },
  unreadBytesInAllMax: {
    variable: 'ALL_RTMP_UNREAD_MEMORY',
    default: sizeText(rtmpBounds.unreadBytesInAllMax),
    sentence:
      'What all RTMP players have not read; one network may leave half of what the others do. Beyond it those who have left more than 64 KB are left out in the same way.',
    read: byteCount('1M'),
  },
};
