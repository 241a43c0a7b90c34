// Why an RTMP peer is refused or cut: what is counted, and what it means to an operator.
import type { RefusalBook } from '../peers/refusals.ts';

export const rtmpRefusals = {
  crowded: 'it neither published nor played, and made room for a newer connection',
  handshake: 'it did not shake hands in time',
  idle: 'it neither published nor played in time',
  stranger: 'it sent too much before it published or played',
  key: 'no channel has the key that it tried to publish with',
  taken: 'the channel is being published to by another connection',
  publishers: 'all places of publishers are taken, or the account has its share of them',
  play: 'no live channel has the play address that it asked for',
  players: 'all places of players are taken',
  network: 'its network has its share of the places of players',
  messages: 'it sent more messages than an encoder or a player does',
  backlog: 'it sent more than can be kept until its turn',
  protocol: 'it did not keep to the protocol',
  silent: 'it published and sent no media for too long',
  unread: 'it did not read what it was sent',
} as const;

export type RtmpRefusal = keyof typeof rtmpRefusals;
export type RtmpRefusals = RefusalBook<RtmpRefusal>;
