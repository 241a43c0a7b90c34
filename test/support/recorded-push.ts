// A recording as the service writes it, with a list of what it is made of.
import { RecordingFile } from '../../src/stream/recording/recording-file.ts';
import type { Clip } from '../fixtures/media/clip.ts';
import { packaged } from './media.ts';

/** An init or a fragment of the recording's file. */
export interface Piece {
  kind: 'init' | 'part';
  at: number;
  size: number;
  durationMs: number;
}

/** Records a push of these clips into the folder, as `packaged` plays them. */
export async function recordPush(folder: string, ...clips: readonly Clip[]): Promise<Piece[]> {
  const file = new RecordingFile(folder, { channel_id: 1, account_id: 1 });
  const pieces: Piece[] = [];
  let end = 0;
  let init: unknown;
  const add = (kind: Piece['kind'], size: number, durationMs: number) => {
    pieces.push({ kind, at: end, size, durationMs });
    end += size;
  };
  packaged(clips, {
    partAdded: (segment, part) => {
      if (segment.init !== init) add('init', segment.init.bytes.length, 0);
      init = segment.init;
      add('part', part.bytes.length, part.durationMs);
      file.partAdded(segment);
    },
    segmentEnded: (segment) => file.segmentEnded(segment),
    ended: () => {},
  });
  await file.close();
  if (file.problem !== undefined) throw file.problem;
  return pieces;
}
