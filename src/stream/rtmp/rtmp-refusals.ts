// Why an RTMP peer is refused or cut: what is counted, and what it means to an operator.
import type { RefusalBook } from '../../base/peers/refusals.ts';

export const rtmpRefusals = {
  connects:
    'Its network opens more connections than encoders and players do (RTMP_CONNECTS_PER_NETWORK)',
  crowd: 'Very many connect, and its network had done so just before (RTMP_CONNECTS_PER_NETWORK)',
  dropped:
    'The system did not let its network connect, which had done so too often; of several networks at once each has the same part of the count (RTMP_CONNECTS_PER_NETWORK)',
  crowded: 'It neither published nor played, and made room for a newer connection (RTMP_STRANGERS)',
  proxy:
    'It comes from a proxy that did not say whom it speaks for, or not in time (RTMP_PROXY_PROTOCOL, TRUSTED_PROXIES)',
  handshake: 'It did not shake hands in time (RTMP_START_MS)',
  idle: 'It neither published nor played in time (RTMP_START_MS)',
  stranger:
    'It sent too much before it published or played (RTMP_STRANGER_MESSAGES, RTMP_STRANGER_BYTES)',
  key: 'No channel has the key that it tried to publish with',
  taken: 'The channel is being published to by another connection',
  publishers:
    'All places of publishers are taken, or the account has its share of them (RTMP_PUBLISHERS)',
  play: 'No live channel has the play address that it asked for',
  pass: 'It asked to play a channel that not everybody may watch, without a pass that is good',
  players: 'All places of players are taken (RTMP_PLAYERS)',
  network: 'Its network has its share of the places of players (RTMP_PLAYERS)',
  messages:
    'It sent more messages than an encoder or a player does (RTMP_MESSAGES_PER_SECOND, RTMP_PLAYER_MESSAGES_PER_SECOND)',
  backlog:
    'It sent more than can be kept until its turn (RTMP_WAITING_MEMORY, ALL_RTMP_WAITING_MEMORY)',
  protocol: 'It did not keep to the protocol',
  silent: 'It published and sent no media for too long (RTMP_SILENCE_MS)',
  unread: 'It did not read what it was sent (RTMP_UNREAD_MS)',
} as const;

export type RtmpReason = keyof typeof rtmpRefusals;
export type RtmpBook = RefusalBook<RtmpReason>;
