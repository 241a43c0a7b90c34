// Makes a recording of a media file: its packets go the way of a push's, through the packager to the disk.
import { type FileHandle, open } from 'node:fs/promises';
import type { FragmentReader } from '../../packaging/fragment.ts';
import { Segmenter } from '../../packaging/segmenter.ts';
import { RecordingFile } from '../../recording/recording-file.ts';
import { syncPath } from '../../recording/recording-folder.ts';
import { interleaved } from '../decode-times.ts';
import { type FileStream, isConvertible, streamsOf } from '../file-streams.ts';
import type { ImportOrder, WorkerOrder } from '../import-file.ts';
import { importLimits } from '../import-limits.ts';
import { ImportError, type ImportProblem } from '../import-problem.ts';
import { type MediaFile, openMediaFile } from '../media-file.ts';
import { openConversion } from './conversion.ts';
import { headBytes, isText, knownKind } from './file-kind.ts';
import { checkMatroska } from './matroska-check.ts';
import { checkMp4 } from './mp4-check.ts';

/** Throws an `ImportError` for what the file holds. */
export async function makeRecording(order: WorkerOrder): Promise<void> {
  const source = await open(order.source);
  try {
    const media = await openChecked(source);
    const conversion = order.converts ? await openConversion(order.memoryBytesMax) : undefined;
    const streams = await streamsOf(media, conversion).catch(async (error) => {
      if (error instanceof ImportError && isConvertible(error.problem))
        throw new NeedsConversion(error.problem, await lengthMs(media));
      throw error;
    });
    if (streams.length === 0) throw new ImportError({ code: 'no_media' });
    await record(streams, order);
  } finally {
    await source.close();
  }
}

/** A transcoder may make something of it. */
export class NeedsConversion extends ImportError {
  readonly lengthMs: number;

  constructor(problem: ImportProblem, lengthMs: number) {
    super(problem);
    this.lengthMs = lengthMs;
  }
}

/** As the file says; where it does not, as long as it may be. */
async function lengthMs({ pictures, sound }: MediaFile): Promise<number> {
  const seconds = await (pictures ?? sound)?.getDurationFromMetadata();
  const { durationMsMax } = importLimits;
  return seconds && seconds > 0 ? Math.min(1_000 * seconds, durationMsMax) : durationMsMax;
}

/** What is shorter has no header of any format; its reader expects one. */
const videoBytesMin = 64;

async function openChecked(source: FileHandle): Promise<MediaFile> {
  const { size } = await source.stat();
  if (size === 0) throw new ImportError({ code: 'empty' });
  const head = Buffer.alloc(Math.min(size, headBytes));
  await source.read(head, 0, head.length, 0);
  const known = knownKind(head);
  if (known) throw new ImportError(known);
  checkMatroska(head, size);
  await checkMp4(source);
  const media = size < videoBytesMin ? undefined : await openMediaFile(source);
  if (media) return media;
  throw new ImportError(
    isText(head) ? { code: 'not_video', found: 'text' } : { code: 'unreadable' },
  );
}

async function record(streams: readonly FileStream[], order: ImportOrder): Promise<void> {
  const { making, note, startsAt } = order;
  const file = new RecordingFile(making, note);
  try {
    await writePackets(streams, file, startsAt);
  } finally {
    await file.close();
  }
  if (file.problem !== undefined) throw notWritten(file.problem);
  if (file.segmentCount === 0) throw new ImportError({ code: 'no_media' });
  await syncPath(making);
}

async function writePackets(
  streams: readonly FileStream[],
  file: RecordingFile,
  startsAt: number,
): Promise<void> {
  let nowMs = 0;
  const segmenter = new Segmenter({
    readers: [writerTo(file)],
    firstSequence: Math.floor(startsAt / 1_000),
    // The wall clock goes as the media does.
    now: () => startsAt + nowMs,
    soundJitterMs: importLimits.soundJitterMs,
  });
  for (const { track } of streams) segmenter.track(track);
  const cleaners = new Map(streams.map(({ track, clean }) => [track.kind, clean]));
  let beginsMs: number | undefined;
  let taken = 0;
  let hasKey = !cleaners.has('video');
  for await (const packet of interleaved(streams.map(({ packets }) => packets))) {
    const { kind, dtsMs, ptsMs, durationMs } = packet;
    beginsMs ??= dtsMs;
    nowMs = dtsMs - beginsMs;
    if (nowMs > importLimits.durationMsMax) throw tooLong();
    const cleaned = cleaners.get(kind)?.(packet.bytes);
    if (!cleaned) continue;
    const { track, isKey, bytes } = cleaned;
    if (track) segmenter.track(track);
    if (kind === 'video') hasKey ||= isKey;
    const times = { dtsMs: nowMs, ptsMs: ptsMs - beginsMs };
    segmenter.packet({ kind, ...times, isKey, bytes, ...(kind === 'video' && { durationMs }) });
    taken += 1;
    // The collector waits for more garbage than the process may hold.
    if (taken % importLimits.collectPackets === 0) Bun.gc(true);
    if (file.unwrittenBytes > importLimits.waitingBytesMax) await file.written();
    if (file.problem !== undefined) throw notWritten(file.problem);
  }
  if (!hasKey) throw new ImportError({ code: 'no_key_frame' });
  segmenter.ended('over');
}

function writerTo(file: RecordingFile): FragmentReader {
  return {
    partAdded: (segment) => file.partAdded(segment),
    segmentEnded: (segment) => {
      file.segmentEnded(segment);
      if (file.segmentCount > importLimits.segmentsMax) throw tooLong();
    },
    ended: () => {},
  };
}

function tooLong(): ImportError {
  return new ImportError({ code: 'too_long', hours: importLimits.durationMsMax / 3_600_000 });
}

function notWritten(problem: unknown): ImportError {
  return new ImportError({
    code: 'disk',
    detail: problem instanceof Error ? problem.message : String(problem),
  });
}
