import { describe, expect, test } from 'bun:test';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../../test/support/engines.ts';
import {
  clipPackets,
  later,
  packaged,
  slowlyPackaged,
  soundOnly,
} from '../../../test/support/media.ts';
import { notLinux, testWith } from '../../../test/support/needs.ts';
import { recordPush } from '../../../test/support/recorded-push.ts';
import { mountSmallDisk, whyNoSmallDisk } from '../../../test/support/small-disk.ts';
import { wholeSegment } from '../../../test/support/whole-segment.ts';
import type { FragmentReader, HeldSegment, Segment } from '../packaging/fragment.ts';
import { GrowingSegment } from '../packaging/growing-segment.ts';
import { mendRecording } from './mend.ts';
import { RecordingFile } from './recording-file.ts';
import { readNote } from './recording-folder.ts';
import { readIndex } from './recording-index.ts';

const note = { channel_id: 7, account_id: 3 };
const newFolder = () => join(temporaryFolder(), 'recording');

/** What a push is written to; its segments are held beside it. */
function following(file: RecordingFile, held: HeldSegment[] = []): FragmentReader {
  return {
    partAdded: (segment) => file.partAdded(segment),
    segmentEnded: (segment) => {
      held.push(segment.hold());
      file.segmentEnded(segment);
    },
    ended: () => {},
  };
}

function indexIn(folder: string) {
  return readIndex(readFileSync(join(folder, 'source.index'), 'utf8'));
}

describe('a recording', () => {
  test('holds what it is given until that is written, and then no longer', async () => {
    const folder = newFolder();
    const file = new RecordingFile(folder, note);
    const held: HeldSegment[] = [];
    packaged([clipPackets(8)], following(file, held));
    const segments = held.map(({ segment }) => segment);
    // Whoever else held them lets go long before the disk has them.
    for (const one of held) one.release();
    const sizes = segments.map(sizeOf);
    expect(Math.min(...sizes)).toBeGreaterThan(0);
    await file.close();
    const written = indexIn(folder);
    expect(written.map(({ size }) => size)).toEqual(sizes);
    expect(segments.map(sizeOf)).toEqual(sizes.map(() => 0));
    const bytes = readFileSync(join(folder, 'source.mp4'));
    expect(bytes.length).toBe((written.at(-1)?.at ?? 0) + (sizes.at(-1) ?? 0));
    expect(bytes.subarray(written[0]?.at).includes('moof')).toBe(true);
  });

  test('is its inits and fragments one after another, and an index of them', async () => {
    const folder = newFolder();
    const file = new RecordingFile(folder, note);
    const held: HeldSegment[] = [];
    packaged([clipPackets(3), soundOnly(later(clipPackets(3), 5_000))], following(file, held));
    const segments = held.map(({ segment }) => segment);
    await file.close();
    expect(file.problem).toBeUndefined();
    const bytes = readFileSync(join(folder, 'source.mp4'));
    const index = indexIn(folder);
    expect(index).toHaveLength(segments.length);
    for (const [n, { at, size, init, ...of }] of index.entries()) {
      const segment = segments[n] as Segment;
      expect(Buffer.compare(bytes.subarray(at, at + size), wholeSegment(segment))).toBe(0);
      const initBytes = bytes.subarray(init.at, init.at + init.size);
      expect(Buffer.compare(initBytes, segment.init.bytes)).toBe(0);
      const { durationMs, startsAt, isDiscontinuity } = segment;
      expect(of).toMatchObject({ durationMs, startsAt, isDiscontinuity, isIndependent: true });
      const hasPicture = segment.init.tracks.some(({ kind }) => kind === 'video');
      expect([init.width, init.height]).toEqual(hasPicture ? [640, 360] : [0, 0]);
    }
    expect(index.map(({ isDiscontinuity }) => isDiscontinuity)).toEqual([
      false,
      false,
      true,
      false,
    ]);
    expect(file.durationMs).toBe(index.reduce((sum, { durationMs }) => sum + durationMs, 0));
  });

  test('says whose it is, to its owner alone', async () => {
    const folder = newFolder();
    await recordPush(folder, clipPackets(1));
    expect(await readNote(folder)).toEqual({ channel_id: 1, account_id: 1 });
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    for (const name of ['source.mp4', 'source.index'])
      expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
  });

  test('that is closed in the middle of a segment has every part, and ends there', async () => {
    const folder = newFolder();
    const file = new RecordingFile(folder, note);
    const { nextPart } = slowlyPackaged(clipPackets(3), following(file));
    for (let n = 0; n < 7; n++) nextPart();
    const closed = file.close();
    nextPart();
    await closed;
    expect(indexIn(folder)).toEqual([]);
    const [segment] = await mendRecording(folder);
    expect(Math.abs((segment?.durationMs ?? 0) - 1_400)).toBeLessThan(40);
  });

  test('of nothing leaves nothing', async () => {
    const folder = newFolder();
    await new RecordingFile(folder, note).close();
    expect(existsSync(folder)).toBe(false);
  });

  test('loses no part, whenever in the life of a write it comes', async () => {
    const folder = newFolder();
    const file = new RecordingFile(folder, note);
    const held: HeldSegment[] = [];
    const { nextPart, end } = slowlyPackaged(clipPackets(20), following(file, held));
    for (let n = 0; n < 99; n++) {
      nextPart();
      // From none to many turns, so that parts meet the write before at every stage.
      for (let turn = 0; turn < n % 7; turn++) await new Promise(setImmediate);
      for (let turn = 0; turn < (n * 13) % 50; turn++) await Promise.resolve();
    }
    end();
    await file.close();
    const bytes = readFileSync(join(folder, 'source.mp4'));
    const segments = held.map(({ segment }) => segment);
    const written = segments.map(wholeSegment);
    const init = segments[0]?.init.bytes ?? new Uint8Array();
    expect(Buffer.compare(bytes, Buffer.concat([init, ...written]))).toBe(0);
    expect(indexIn(folder)).toHaveLength(segments.length);
  });

  test('never names in its index what its file does not hold yet', async () => {
    const folder = newFolder();
    const file = new RecordingFile(folder, note);
    const { nextPart } = slowlyPackaged(clipPackets(20), following(file));
    let seen = 0;
    for (let n = 0; n < 99; n++) {
      nextPart();
      await Bun.sleep(1);
      if (!existsSync(join(folder, 'source.index'))) continue;
      const last = indexIn(folder).at(-1);
      if (last) seen += 1;
      expect(statSync(join(folder, 'source.mp4')).size).toBeGreaterThanOrEqual(
        last ? last.at + last.size : 0,
      );
    }
    await file.close();
    expect(seen).toBeGreaterThan(0);
  });
});

describe('a disk', () => {
  test.each([
    ['where no folder can be made', (folder: string) => writeFileSync(folder, '')],
    [
      'that has such a recording already',
      (folder: string) => {
        mkdirSync(folder);
        writeFileSync(join(folder, 'source.mp4'), 'old');
      },
    ],
    [
      'where the index cannot be made',
      (folder: string) => {
        mkdirSync(join(folder, 'source.index'), { recursive: true });
      },
    ],
  ])('%s is told as a problem, and nobody else is disturbed', async (_, prepare) => {
    const folder = newFolder();
    prepare(folder);
    const file = new RecordingFile(folder, note);
    packaged([clipPackets(2)], following(file));
    await file.close();
    expect(file.problem).toBeInstanceOf(Error);
    expect(openIn(folder)).toEqual([]);
    const old = join(folder, 'source.mp4');
    if (statSync(folder).isDirectory() && statSync(old).size === 3)
      expect(readFileSync(old, 'utf8')).toBe('old');
  });

  test('that is too slow ends the recording, before memory fills up', async () => {
    const folder = newFolder();
    const file = new RecordingFile(folder, note);
    const segment = emptySegment();
    const add = () => {
      const bytes = new Uint8Array(1_048_576);
      segment.add({ bytes, durationMs: 200, isIndependent: true });
      file.partAdded(segment);
    };
    // All in one turn, so that nothing can be written meanwhile.
    for (let n = 0; n < 31; n++) add();
    expect(file.problem).toBeUndefined();
    for (let n = 0; n < 3; n++) add();
    expect(file.problem).toBeInstanceOf(Error);
    await file.close();
    expect(openIn(folder)).toEqual([]);
  });

  testWith(
    whyNoSmallDisk(),
    'that fills up leaves whole fragments, and an index of no more',
    async () => {
      const disk = mountSmallDisk(400_000);
      try {
        const folder = join(disk.folder, 'recording');
        const file = new RecordingFile(folder, note);
        const { nextPart, end } = slowlyPackaged(clipPackets(20), following(file));
        for (let n = 0; n < 99; n++) {
          nextPart();
          await new Promise(setImmediate);
        }
        end();
        await file.close();
        expect((file.problem as NodeJS.ErrnoException).code).toBe('ENOSPC');
        const { size } = statSync(join(folder, 'source.mp4'));
        const named = indexIn(folder);
        expect(named.length).toBeGreaterThan(1);
        expect(named.every((one) => one.at + one.size <= size)).toBe(true);
        // What was cut is cut off; that needs room for an index, so it waits until there is some.
        disk.empty();
        const mended = await mendRecording(folder).catch(() => named);
        expect(mended.length).toBeGreaterThanOrEqual(named.length);
      } finally {
        disk.unmount();
      }
    },
  );

  testWith(notLinux, 'that was written has no file left open', async () => {
    const folder = newFolder();
    await recordPush(folder, clipPackets(2));
    expect(openIn(folder)).toEqual([]);
  });
});

function emptySegment(): GrowingSegment {
  const init = { sequence: 1, bytes: new Uint8Array(8), tracks: [] };
  const place = { sequence: 1, startsAt: 0, startMs: 0 };
  return new GrowingSegment({ ...place, init, isDiscontinuity: false });
}

/** Files of the folder that this process holds open; none can be seen but on Linux. */
function openIn(folder: string): string[] {
  if (notLinux !== undefined) return [];
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      const path = readlinkSync(`/proc/self/fd/${fd}`);
      return path.startsWith(folder) ? [path] : [];
    } catch {
      return [];
    }
  });
}

/** Of the bytes that are still there. */
function sizeOf({ parts }: Segment): number {
  return parts.reduce((sum, { bytes }) => sum + bytes.length, 0);
}
