// Why somebody who asks for a recording is refused: what is counted, and what it means to an operator.
import type { RefusalBook } from '../../base/peers/refusals.ts';

export const recordingRefusals = {
  playlists: 'As many playlists of recordings wait to be made as may (RECORDING_PLAYLISTS_WAITING)',
  playlists_network:
    'Its network has its share of the playlists that wait to be made (RECORDING_PLAYLISTS_WAITING)',
  readers: 'As many answers are read from S3 as may be at once',
  readers_network: 'Its network has its share of the answers that are read from S3',
} as const;

export type RecordingReason = keyof typeof recordingRefusals;
export type RecordingBook = RefusalBook<RecordingReason>;
