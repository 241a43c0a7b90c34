// Why a push is refused or cut: what is counted, and what it means to an operator and, word for word, to the encoder.
import type { RefusalBook } from '../../base/peers/refusals.ts';

export const pushRefusals = {
  media: 'The push sends media that cannot be taken',
  often: 'The channel begins more pushes a minute than it may',
  account_often: 'The account begins more pushes a minute than it may',
  rate: 'The push sends more bits a second than a push may: lower the bit rate of the encoder',
  packets: 'The push sends more pictures and sounds a second than any encoder makes',
  changes:
    'The parameters of picture or sound change too often: keep the settings of the encoder as they are',
  speed: 'The push comes faster than it plays: send in real time (with ffmpeg: -re)',
  segments:
    'The push has too many breaks: the stamps of the encoder jump, or it reconnects too often',
  memory:
    'The push holds more memory than a push may: lower the bit rate, or send key frames more often',
  account_memory:
    'The pushes of this account hold all the memory that they may: end one, or lower their bit rates',
  account_disk:
    'The recordings and pictures of this account take all the disk space that they may: its pushes are live and not recorded',
  all_memory: 'The pushes on this service hold all the memory that they may: try again later',
} as const;

export type PushReason = keyof typeof pushRefusals;
export type PushBook = RefusalBook<PushReason>;
