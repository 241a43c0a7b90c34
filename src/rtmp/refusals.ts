// Why an RTMP peer is refused or cut: what is counted, and what it means to an operator.
import type { RefusalBook } from '../peers/refusals.ts';

export const rtmpRefusals = {
  crowded: 'It neither published nor played, and made room for a newer connection',
  handshake: 'It did not shake hands in time',
  idle: 'It neither published nor played in time',
  stranger: 'It sent too much before it published or played',
  key: 'No channel has the key that it tried to publish with',
  taken: 'The channel is being published to by another connection',
  publishers: 'All places of publishers are taken, or the account has its share of them',
  play: 'No live channel has the play address that it asked for',
  players: 'All places of players are taken',
  network: 'Its network has its share of the places of players',
  messages: 'It sent more messages than an encoder or a player does',
  backlog: 'It sent more than can be kept until its turn',
  protocol: 'It did not keep to the protocol',
  silent: 'It published and sent no media for too long',
  unread: 'It did not read what it was sent',
} as const;

export type RtmpReason = keyof typeof rtmpRefusals;
export type RtmpBook = RefusalBook<RtmpReason>;
