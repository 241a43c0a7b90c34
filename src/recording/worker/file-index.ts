// Makes the index of a fragmented MP4 that someone else has written: each fragment is a segment.
import { type FileHandle, open } from 'node:fs/promises';
import { boxHeaderBytes, readBoxHeader } from '../../media/mp4-box.ts';
import { MediaError } from '../../media/packet.ts';
import { indexLine, type RecordedSegment } from '../recording-index.ts';
import { FileWindow } from './file-window.ts';
import { type InitTrack, readInit, readMoof, type SampleRun } from './fragment-reader.ts';

/** What is longer than this is no header. */
const headerBytesMax = 4 * 1_048_576;
const windowBytes = 16_384;

/** `wallTime` tells when a moment of the file was, counted in milliseconds from its start. */
export async function indexOfFile(
  path: string,
  wallTime: (atMs: number) => number,
): Promise<string> {
  const file = await open(path);
  try {
    const lines: string[] = [];
    let tracks: InitTrack[] = [];
    let [initAt, moofAt, startMs] = [0, 0, 0];
    let isDiscontinuity = false;
    let told = summary([]);
    for await (const { type, at, size, header } of topBoxes(file)) {
      if (type === 'ftyp') initAt = at;
      if (type === 'moov') {
        // Another init begins anew.
        isDiscontinuity = lines.length > 0;
        tracks = readInit(header);
        lines.push(initLine(initAt, at + size - initAt, tracks));
      }
      if (type === 'moof') {
        moofAt = at;
        told = summary(readMoof(header.subarray(boxHeaderBytes), tracks));
      }
      if (type === 'mdat') {
        const range = { at: moofAt, size: at + size - moofAt };
        const startsAt = wallTime(startMs);
        lines.push(indexLine({ kind: 'segment', ...range, ...told, isDiscontinuity, startsAt }));
        isDiscontinuity = false;
        startMs += told.durationMs;
      }
    }
    return lines.join('');
  } finally {
    await file.close();
  }
}

/** The boxes of a file; those that describe others come with their bytes. */
async function* topBoxes(file: FileHandle) {
  const window = new FileWindow(file, windowBytes);
  const { size: end } = await file.stat();
  for (let at = 0; at < end; ) {
    const { type, size } = readBoxHeader(await window.bytes(at, boxHeaderBytes));
    const isHeader = type === 'moov' || type === 'moof';
    if (isHeader && size > headerBytesMax) throw new MediaError(`A header of ${size} bytes`);
    const header = isHeader ? Buffer.from(await window.bytes(at, size)) : new Uint8Array();
    yield { type, at, size, header };
    at += size;
  }
}

/** When each moment of a recording was: pauses between segments are in the wall time only. */
export function wallTimeOf(segments: readonly RecordedSegment[]): (atMs: number) => number {
  return (atMs) => {
    let left = atMs;
    for (const { durationMs, startsAt } of segments) {
      if (left < durationMs) return Math.round(startsAt + left);
      left -= durationMs;
    }
    const last = segments.at(-1);
    return Math.round(last ? last.startsAt + last.durationMs + left : left);
  };
}

function initLine(at: number, size: number, tracks: readonly InitTrack[]): string {
  const { width, height } = tracks.find(({ kind }) => kind === 'video') ?? { width: 0, height: 0 };
  return indexLine({ kind: 'init', at, size, width, height });
}

/** By the picture where there is one: sound is cut at its own frames. */
function summary(runs: readonly SampleRun[]) {
  const pictures = runs.filter(({ track }) => track.kind === 'video');
  const leading = pictures.length > 0 ? pictures : runs;
  const seconds = leading
    .flatMap(({ track, samples }) => samples.map(({ duration }) => duration / track.timescale))
    .reduce((sum, duration) => sum + duration, 0);
  const isIndependent = leading[0]?.samples[0]?.isKey ?? false;
  return { durationMs: Math.round(seconds * 1000), isIndependent };
}
