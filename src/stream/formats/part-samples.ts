// The samples of a part of ours, taken apart and put together again: pictures of a rung beside the sound as it came.
import { fragment } from './fmp4.ts';
import { initSegment } from './fmp4-init.ts';
import { type InitTrack, readInit, readMoof, type SampleRun } from './fmp4-reader.ts';
import { boxHeaderBytes, readBoxHeader } from './mp4-box.ts';
import type { Track } from './packet.ts';

/** Samples of one track, and their bytes one behind the other. */
export interface Run extends Pick<SampleRun, 'samples'> {
  readonly trackId: number;
  readonly baseTime: number;
  readonly bytes: Uint8Array;
}

export interface PartRuns {
  readonly pictures: Run | undefined;
  readonly sounds: Run | undefined;
}

/** Reads parts of these tracks. */
export function partReader(tracks: readonly Track[]): (part: Uint8Array) => PartRuns {
  const known = readInit(initSegment(tracks));
  return (part) => {
    const moof = part.subarray(boxHeaderBytes, readBoxHeader(part).size);
    const runs = readMoof(moof, known);
    const of = (kind: InitTrack['kind']) => {
      const run = runs.find(({ track }) => track.kind === kind);
      return run && runOf(part, run);
    };
    return { pictures: of('video'), sounds: of('audio') };
  };
}

function runOf(part: Uint8Array, { track, decodeTime, dataAt, samples }: SampleRun): Run {
  const size = samples.reduce((sum, sample) => sum + sample.size, 0);
  const bytes = part.subarray(dataAt, dataAt + size);
  return { trackId: track.id, baseTime: decodeTime, samples, bytes };
}

/** A part of these runs; `sequence` counts the parts of a rung. */
export function partOf(runs: readonly Run[], sequence: number): Uint8Array<ArrayBuffer> {
  const { bytes, dataAt } = fragment({ sequence, tracks: runs });
  let at = dataAt;
  for (const run of runs) {
    bytes.set(run.bytes, at);
    at += run.bytes.length;
  }
  return bytes;
}
