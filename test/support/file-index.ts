// Makes the index of a fragmented MP4 that someone else has written: each fragment is a segment.
import { open } from 'node:fs/promises';
import {
  type InitTrack,
  readInit,
  readMoof,
  type SampleRun,
} from '../../src/stream/formats/fmp4-reader.ts';
import { boxHeaderBytes } from '../../src/stream/formats/mp4-box.ts';
import { fileBoxes, headerWindowBytes } from '../../src/stream/recording/file-boxes.ts';
import { FileWindow } from '../../src/stream/recording/file-window.ts';
import { indexLine } from '../../src/stream/recording/recording-index.ts';

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
    const whole = { at: 0, size: (await file.stat()).size };
    const window = new FileWindow(file, headerWindowBytes);
    for await (const { type, at, size, bytes } of fileBoxes(window, whole)) {
      if (type === 'ftyp') initAt = at;
      if (type === 'moov') {
        // Another init begins anew.
        isDiscontinuity = lines.length > 0;
        tracks = readInit(Buffer.from(bytes));
        lines.push(initLine(initAt, at + size - initAt, tracks));
      }
      if (type === 'moof') {
        moofAt = at;
        told = summary(readMoof(bytes.subarray(boxHeaderBytes), tracks));
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
