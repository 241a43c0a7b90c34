// A smaller size that is recorded beside its source, and what becomes of it when the push is over.
import { expect, test } from 'bun:test';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../../test/support/engines.ts';
import { clipPackets, later, packaged } from '../../../test/support/media.ts';
import { keep } from '../../base/bytes/memory.ts';
import { initSegment } from '../formats/fmp4-init.ts';
import { MirroredRung } from '../ladder/mirrored-rung.ts';
import { SoundRung } from '../ladder/sound-rung.ts';
import { stillPicture } from '../ladder/still-picture.ts';
import { uncounted } from '../live/push-memory.ts';
import type { FragmentReader } from '../packaging/fragment.ts';
import { indexedSize, recordedSize } from '../playback/recorded-size.ts';
import { vodPlaylist } from '../playback/vod-playlist.ts';
import { RecordedRung } from './recorded-rung.ts';
import { Recorder } from './recorder.ts';
import { RecordingFile } from './recording-file.ts';
import { type NotedStint, recordingFolder, stintFolderName } from './recording-folder.ts';
import { readIndex } from './recording-index.ts';
import type { GrowingRecording } from './recordings.ts';
import { fileAt } from './stored-recording.ts';
import type { SizeName } from './variants.ts';
import { takeLadderSizes } from './worker/ladder-sizes.ts';
import { WrittenSizes } from './written-sizes.ts';

const clip = clipPackets(9);

test('the sound of a push is a size of its recording, segment for segment', async () => {
  const { recordings, folder } = await recorded([clip], ({ size }) => [
    new SoundRung([size('sound')]),
  ]);
  expect(recordings).toEqual(['r1']);
  await takeLadderSizes(folder('r1'));
  expect(filesIn(folder('r1'))).toEqual(['sound.index', 'sound.mp4', 'source.index', 'source.mp4']);
  const [of, source] = [indexIn(folder('r1'), 'sound'), indexIn(folder('r1'), 'source')];
  expect(of.map(({ startsAt, durationMs }) => [startsAt, durationMs])).toEqual(
    source.map(({ startsAt, durationMs }) => [startsAt, durationMs]),
  );
  expect(of.at(-1)?.at).toBeGreaterThan(0);
});

test('a push that fills two recordings has its sound beside each', async () => {
  const { recordings, folder } = await recorded(
    [clip],
    ({ size }) => [new SoundRung([size('sound')])],
    { durationMsMax: 3_000 },
  );
  expect(recordings.length).toBeGreaterThan(1);
  for (const name of recordings) {
    await takeLadderSizes(folder(name));
    expect(indexIn(folder(name), 'sound')).toHaveLength(indexIn(folder(name), 'source').length);
  }
});

test('what comes a segment late is of the recording that its source was in', async () => {
  const { recordings, folder } = await recorded(
    [clipPackets(16)],
    ({ size }) => [mirroredBy(size('360'), { behind: 1 })],
    { durationMsMax: 7_000 },
  );
  expect(recordings.length).toBeGreaterThan(1);
  for (const name of recordings) {
    await takeLadderSizes(folder(name));
    expect(indexIn(folder(name), '360')).toHaveLength(indexIn(folder(name), 'source').length);
  }
});

test('one that lacks a part is gone when the push is over', async () => {
  const { folder } = await recorded([clip], ({ size }) => [
    mirroredBy(size('360'), { isMissing: (segment) => segment === 2 }),
  ]);
  expect(filesIn(folder('r1'))).toEqual(['source.index', 'source.mp4']);
});

test('an encoder that was begun anew eleven times leaves a size like any other', async () => {
  const sizes = [
    [640, 360],
    [360, 640],
  ] as const;
  const pushes = Array.from({ length: 12 }, (_, at) => later(clipPackets(2), 2_100 * at));
  const { folder } = await recorded(pushes, ({ size }) => [
    mirroredBy(size('360'), { sizeAt: (init) => sizes[init % 2] ?? sizes[0] }),
  ]);
  await takeLadderSizes(folder('r1'));
  const [of, source] = [indexIn(folder('r1'), '360'), indexIn(folder('r1'), 'source')];
  const initsOf = (all: typeof of) => new Set(all.map(({ init }) => init.at)).size;
  expect([initsOf(of), initsOf(source)]).toEqual([12, 12]);
  const lists = await Promise.all([vodPlaylist(of, 'x'), vodPlaylist(source, 'x')]);
  const shape = (list: string) => list.replaceAll(/(BYTERANGE[:=]"?)\d+@\d+/g, '$1');
  expect(shape(lists[0])).toBe(shape(lists[1]));
  expect(lists[0].match(/EXT-X-MAP/g)).toHaveLength(12);
  expect(lists[0].match(/EXT-X-DISCONTINUITY/g)).toHaveLength(11);
  const media = await fileAt(join(folder('r1'), '360.mp4'));
  expect(await recordedSize(indexedSize(of), media)).toMatchObject({
    codecs: ['avc1.64001f', 'mp4a.40.2'],
    width: 640,
    height: 360,
  });
});

test('a size is taken once, whatever a kill has left of the taking', async () => {
  const { folder } = await recorded([clip], ({ size }) => [new SoundRung([size('sound')])]);
  const before = readFileSync(join(folder('r1'), 'sound.ladder.mp4'));
  const index = readFileSync(join(folder('r1'), 'sound.ladder.index'));
  await takeLadderSizes(folder('r1'));
  // Before its media was in its place, and then before what is left over was gone.
  rmSync(join(folder('r1'), 'sound.mp4'));
  writeFileSync(join(folder('r1'), 'sound.ladder.mp4'), before);
  writeFileSync(join(folder('r1'), 'sound.ladder.index'), index);
  await takeLadderSizes(folder('r1'));
  writeFileSync(join(folder('r1'), 'sound.ladder.index'), index);
  await takeLadderSizes(folder('r1'));
  expect(filesIn(folder('r1'))).toEqual(['sound.index', 'sound.mp4', 'source.index', 'source.mp4']);
  expect(readFileSync(join(folder('r1'), 'sound.mp4'))).toEqual(before);
});

test('one that was still being written when the machine lost its power is gone', async () => {
  const { folder } = await recorded([clip], ({ size }) => [new SoundRung([size('sound')])]);
  const index = join(folder('r1'), 'sound.ladder.index');
  renameSync(index, index.replace('.index', '.growing'));
  await takeLadderSizes(folder('r1'));
  expect(filesIn(folder('r1'))).toEqual(['source.index', 'source.mp4']);
});

test('where its source begins segments without a key frame its list joins the same ones', async () => {
  const { folder } = await recorded([clip], ({ size }) => [new SoundRung([size('sound')])]);
  const path = join(folder('r1'), 'source.index');
  const lines = readFileSync(path, 'utf8').split('\n');
  lines[3] = String(lines[3]).replace('"isIndependent":true', '"isIndependent":false');
  writeFileSync(path, lines.join('\n'));
  await takeLadderSizes(folder('r1'));
  const independent = (of: 'sound' | 'source') =>
    indexIn(folder('r1'), of).map(({ isIndependent }) => isIndependent);
  expect(independent('source')).toContain(false);
  expect(independent('sound')).toEqual(independent('source'));
});

test('a push that ends with pictures alone has its sound as far as there is any', async () => {
  const { tracks, packets } = clip;
  // The last key frame begins a segment that no sound comes in.
  const key = packets.findLast((one) => one.kind === 'video' && one.isKey);
  const endMs = key?.dtsMs ?? 0;
  const heard = packets.filter((one) => one.kind === 'video' || one.dtsMs < endMs - 300);
  const cut = { tracks, packets: heard.filter(({ dtsMs }) => dtsMs <= endMs + 100) };
  const { folder } = await recorded([cut], ({ size }) => [
    new SoundRung([size('sound')]),
    new SoundRung([size('still')], stillPicture()),
  ]);
  await takeLadderSizes(folder('r1'));
  const [sound, still, source] = (['sound', 'still', 'source'] as const).map((name) =>
    indexIn(folder('r1'), name).map(({ startsAt }) => startsAt),
  );
  expect(still).toEqual(source as number[]);
  expect(sound).toEqual(source?.slice(0, -1) as number[]);
});

test('sound that lacks a segment in its middle is none of the recording', async () => {
  const { tracks, packets } = clip;
  const [from = 0, to = 0] = packets
    .filter((one) => one.kind === 'video' && one.isKey)
    .map(({ dtsMs }) => dtsMs)
    .slice(1);
  const heard = packets.filter(
    ({ kind, dtsMs }) => kind === 'video' || dtsMs < from - 300 || dtsMs >= to,
  );
  const { folder } = await recorded([{ tracks, packets: heard }], ({ size }) => [
    new SoundRung([size('sound')]),
  ]);
  await takeLadderSizes(folder('r1'));
  expect(filesIn(folder('r1'))).toEqual(['source.index', 'source.mp4']);
});

test('of a recording that another node has begun nothing is written: there would be the end alone', async () => {
  const stint = { recording: 'r1', push: 'p', epoch: 2, sequence: 0 };
  const { folder } = await recorded([clip], ({ size }) => [new SoundRung([size('sound')])], {
    nameOf: () => stintFolderName(stint, true),
    stint,
  });
  expect(filesIn(folder('r1-e2'))).toEqual(['source.index', 'source.mp4']);
  const begun = await recorded([clip], ({ size }) => [new SoundRung([size('sound')])], { stint });
  await takeLadderSizes(begun.folder('r1'));
  expect(filesIn(begun.folder('r1'))).toContain('sound.mp4');
});

interface Recording {
  /** What records a size of that name. */
  size(name: SizeName): RecordedRung;
}

/** A push of these clips is recorded, with what `beside` makes of it; all of it is written when this resolves. */
async function recorded(
  clips: Parameters<typeof packaged>[0],
  beside: (recording: Recording) => FragmentReader[],
  {
    durationMsMax = 3_600_000,
    nameOf = (count: number) => `r${count}`,
    stint,
  }: { durationMsMax?: number; nameOf?(count: number): string; stint?: NotedStint } = {},
) {
  const dataDir = temporaryFolder();
  const folder = (name: string) => recordingFolder(dataDir, name);
  const recordings: string[] = [];
  const closing: Promise<void>[] = [];
  let growing: GrowingRecording | undefined;
  const note = { channel_id: 1, account_id: 1 };
  const recorder = new Recorder({
    durationMsMax,
    segmentsMax: 1_000,
    hasRoom: () => true,
    open: (_, sequence) => {
      const name = nameOf(recordings.length + 1);
      recordings.push(name);
      growing = { ...note, ...(stint && { stint }), folder: folder(name), sequence };
      return new RecordingFile(folder(name), note);
    },
    finish: (file) => {
      if (growing?.folder === file.folder) growing = undefined;
      closing.push(file.close());
    },
  });
  const written = new WrittenSizes();
  const size = (name: SizeName) =>
    new RecordedRung({
      name,
      growing: () => growing,
      counts: () => () => {},
      ...{ written, memory: { holder: () => uncounted } },
    });
  packaged(clips, all([recorder, ...beside({ size })]));
  await Promise.all(closing);
  for (const name of recordings) await written.over(name);
  for (const name of recordings) rmSync(join(folder(name), 'recording.json'));
  return { recordings, folder };
}

/** What an encoder would make of the source, which here is the source's own: so many segments late. */
function mirroredBy(
  reader: FragmentReader,
  given: {
    behind?: number;
    /** By how many segments are before it. */
    isMissing?(segment: number): boolean;
    /** By how many inits the source has had before. */
    sizeAt?(init: number): readonly [width: number, height: number];
  },
): FragmentReader {
  const { behind = 0, isMissing = () => false, sizeAt } = given;
  const rung = new MirroredRung([reader]);
  let inits = 0;
  let segments = 0;
  let source: unknown;
  let waiting: { sequence: number; make(): void }[] = [];
  const makeBefore = (sequence: number) => {
    const due = waiting.filter((one) => one.sequence < sequence);
    waiting = waiting.filter((one) => !due.includes(one));
    for (const { make } of due) make();
  };
  return {
    partAdded: (segment, part) => {
      const { sequence, init, parts } = segment;
      if (parts.length === 1) segments += 1;
      if (init !== source) {
        const [width, height] = sizeAt?.(inits) ?? [640, 360];
        const tracks = init.tracks.map((one) =>
          one.kind === 'video' ? { ...one, width, height } : one,
        );
        const decode = () => rung.decode({ bytes: initSegment(tracks), tracks });
        waiting.push({ sequence, make: decode });
        inits += 1;
      }
      source = init;
      rung.expect(segment, part);
      const bytes = isMissing(segments) ? new Uint8Array() : keep(part.bytes);
      const { isIndependent } = part;
      const at = parts.length - 1;
      waiting.push({ sequence, make: () => rung.made({ sequence, at, bytes, isIndependent }) });
      makeBefore(sequence + 1 - behind);
    },
    segmentEnded: (segment) => rung.expectEnd(segment),
    ended: (how) => {
      makeBefore(Number.POSITIVE_INFINITY);
      rung.end(how);
    },
  };
}

function all(readers: readonly FragmentReader[]): FragmentReader {
  return {
    partAdded: (segment, part) => {
      for (const reader of readers) reader.partAdded(segment, part);
    },
    segmentEnded: (segment) => {
      for (const reader of readers) reader.segmentEnded(segment);
    },
    ended: (how) => {
      for (const reader of readers) reader.ended(how);
    },
  };
}

function filesIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder).sort() : [];
}

function indexIn(folder: string, name: string) {
  return readIndex(readFileSync(join(folder, `${name}.index`), 'utf8'));
}
