// Recordings as kills, power cuts and damage leave them.
import { beforeAll, describe, expect, test } from 'bun:test';
import { cpSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { temporaryFolder } from '../../../test/support/engines.ts';
import { clipPackets, later, packagedAt, soundOnly } from '../../../test/support/media.ts';
import { type Piece, recordPush } from '../../../test/support/recorded-push.ts';
import { mendRecording } from './mend.ts';
import { type RecordedSegment, readIndex } from './recording-index.ts';

/** Pictures with sound, cut after three seconds; then sound alone, then pictures again. */
const whole = { folder: '', pieces: [] as Piece[], index: '', size: 0 };

beforeAll(async () => {
  const clip = clipPackets(5);
  whole.folder = join(temporaryFolder(), 'whole');
  whole.pieces = await recordPush(
    whole.folder,
    clip,
    soundOnly(later(clipPackets(3), 6_000)),
    later(clipPackets(3), 10_000),
  );
  whole.index = readFileSync(join(whole.folder, 'source.index'), 'utf8');
  whole.size = statSync(join(whole.folder, 'source.mp4')).size;
});

/** A copy that may be damaged. */
function copy(): { folder: string; file: string; index: string } {
  const folder = join(temporaryFolder(), 'copy');
  cpSync(whole.folder, folder, { recursive: true });
  return { folder, file: join(folder, 'source.mp4'), index: join(folder, 'source.index') };
}

/** What of the recording lies whole before a cut: up to its last whole fragment. */
function partsBefore(cut: number): Piece[] {
  return whole.pieces.filter(({ kind, at, size }) => kind === 'part' && at + size <= cut);
}

const sumMs = (pieces: readonly { durationMs: number }[]) =>
  pieces.reduce((sum, { durationMs }) => sum + durationMs, 0);

/** Fails unless the segments are exactly those parts, without a gap, each with the init before it. */
function expectParts(segments: readonly RecordedSegment[], parts: readonly Piece[]): void {
  const begins = new Set(parts.map(({ at }) => at));
  let end = 0;
  for (const { at, size, init, isDiscontinuity } of segments) {
    const initBefore = whole.pieces.findLast((piece) => piece.kind === 'init' && piece.at < at);
    expect([init.at, init.size]).toEqual([initBefore?.at, initBefore?.size] as never);
    expect(at).toBe(init.at >= end ? init.at + init.size : end);
    expect(begins.has(at)).toBe(true);
    expect(isDiscontinuity).toBe(init.at > 0 && at === init.at + init.size);
    end = at + size;
  }
  const last = parts.at(-1);
  expect(end).toBe(last ? last.at + last.size : 0);
  // Of a fragment that the index does not name the frames tell how long it is: a frame more or less.
  expect(Math.abs(sumMs(segments) - sumMs(parts))).toBeLessThanOrEqual(120);
}

/** What counts of segments, found or read. */
const shown = (segments: readonly RecordedSegment[]) =>
  segments.map(({ init, at, size, durationMs, startsAt, isIndependent, isDiscontinuity }) => [
    [init.at, init.size, init.width, init.height],
    [at, size, durationMs, startsAt, isIndependent, isDiscontinuity],
  ]);

async function mendedTwice(folder: string): Promise<RecordedSegment[]> {
  const segments = await mendRecording(folder);
  if (segments.length > 0) {
    const index = readFileSync(join(folder, 'source.index'), 'utf8');
    expect(shown(readIndex(index))).toEqual(shown(segments));
    const last = segments.at(-1) as RecordedSegment;
    expect(statSync(join(folder, 'source.mp4')).size).toBe(last.at + last.size);
  }
  expect(shown(await mendRecording(folder))).toEqual(shown(segments));
  return segments;
}

test('a recording that was closed is left as it is', async () => {
  const { folder, file, index } = copy();
  const before = [readFileSync(index, 'utf8'), statSync(file).mtimeMs];
  const segments = await mendedTwice(folder);
  expect(shown(segments)).toEqual(shown(readIndex(whole.index)));
  expect([readFileSync(index, 'utf8'), statSync(file).mtimeMs]).toEqual(before);
  expectParts(segments, partsBefore(whole.size));
  expect(segments.map(({ init }) => init.width)).toEqual([640, 640, 640, 0, 0, 640, 640]);
});

describe('after a kill', () => {
  test('wherever the file and the index end, every whole fragment is kept and nothing else', async () => {
    const edges = whole.pieces.flatMap(({ at, size }) => [
      at,
      at + 1,
      at + 7,
      at + 8,
      at + size - 1,
    ]);
    const lines = [...whole.index.matchAll(/\n/g)].flatMap(({ index }) => [index, index + 1]);
    const cut = fc.oneof(
      fc.nat(whole.size),
      fc.constantFrom(whole.size, ...edges.filter((at) => at <= whole.size)),
    );
    const indexCut = fc.oneof(
      fc.nat(whole.index.length),
      fc.constantFrom(0, whole.index.length, ...lines),
    );
    await fc.assert(
      fc.asyncProperty(cut, indexCut, async (bytes, indexBytes) => {
        const { folder, file, index } = copy();
        truncateSync(file, bytes);
        writeFileSync(index, whole.index.slice(0, indexBytes));
        expectParts(await mendedTwice(folder), partsBefore(bytes));
        rmSync(folder, { recursive: true });
      }),
      { seed: 3, numRuns: 250 },
    );
  });

  test('what the index does not name goes on in time from what it does', async () => {
    const { folder, index } = copy();
    const lines = whole.index.split('\n');
    writeFileSync(index, `${lines.slice(0, 2).join('\n')}\n`);
    const [first, second] = await mendedTwice(folder);
    expect(first?.startsAt).toBe(readIndex(whole.index)[0]?.startsAt as number);
    expect(second?.startsAt).toBe((first?.startsAt ?? 0) + (first?.durationMs ?? 0));
    expect(second?.isDiscontinuity).toBe(false);
  });

  test('without any index it ends when its file was last written, in segments as they were recorded', async () => {
    const { folder, file, index } = copy();
    rmSync(index);
    const { mtimeMs } = statSync(file);
    const segments = await mendedTwice(folder);
    const last = segments.at(-1) as RecordedSegment;
    expect(Math.abs(last.startsAt + last.durationMs - mtimeMs)).toBeLessThanOrEqual(2);
    const recorded = readIndex(whole.index);
    expect(segments.map(({ at, isIndependent }) => [at, isIndependent])).toEqual(
      recorded.map(({ at, isIndependent }) => [at, isIndependent]),
    );
  });
});

test('after a power cut an index that names more than the file holds is written anew', async () => {
  const recorded = readIndex(whole.index);
  for (const { at, size } of recorded) {
    const { folder, file } = copy();
    truncateSync(file, at + size);
    const segments = await mendedTwice(folder);
    expect(shown(segments)).toEqual(shown(recorded.filter((one) => one.at <= at)));
  }
});

describe('of damage', () => {
  test('in the index, what the file holds is found again', async () => {
    // The digits of places and sizes are few, and the ones that could mislead.
    const places = [...whole.index.matchAll(/"(?:at|size)":(\d+)/g)];
    const digits = places.flatMap(({ 0: text, 1: number = '', index }) =>
      [...number].map((_, n) => index + text.length - number.length + n),
    );
    const lastLineAt = whole.index.lastIndexOf('\n', whole.index.length - 2);
    const anywhere = fc.oneof(fc.nat(whole.index.length - 1), fc.constantFrom(...digits));
    const anything = fc.oneof(fc.nat(255), fc.constantFrom(...Buffer.from('0123456789')));
    await fc.assert(
      fc.asyncProperty(anywhere, anything, async (at, byte) => {
        const bent = Buffer.from(whole.index);
        bent[at] = byte;
        // A bent duration, time or flag is still an index; a bent place is not, but at the very end.
        const field = fieldAt(whole.index, at);
        if (/durationMs|startsAt|is[DI]|width/.test(field)) return;
        if (field.includes('size') && at > lastLineAt) return;
        const { folder, index } = copy();
        writeFileSync(index, bent);
        expectParts(await mendedTwice(folder), partsBefore(whole.size));
        rmSync(folder, { recursive: true });
      }),
      { seed: 19, numRuns: 200 },
    );
  });

  test('anywhere it is mended or left, without an error and never longer than it was', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(whole.size - 1), fc.nat(255)), { minLength: 1, maxLength: 5 }),
        fc.boolean(),
        async (changes, hasIndex) => {
          const { folder, file, index } = copy();
          const bytes = readFileSync(file);
          for (const [at, byte] of changes) bytes[at] = byte;
          writeFileSync(file, bytes);
          if (!hasIndex) rmSync(index);
          const segments = await mendedTwice(folder);
          expect(segments.every(({ at, size }) => at + size <= whole.size)).toBe(true);
          if (hasIndex) expect(shown(segments)).toEqual(shown(readIndex(whole.index)));
          rmSync(folder, { recursive: true });
        },
      ),
      { seed: 20, numRuns: 200 },
    );
  });

  test('in the init that the last segments need, what the index names is kept', async () => {
    const { folder, file, index } = copy();
    const recorded = readIndex(whole.index);
    const bytes = readFileSync(file);
    const { init } = recorded.at(-1) as RecordedSegment;
    bytes.fill(0, init.at + 8, init.at + init.size);
    writeFileSync(file, bytes);
    // The last line is lost, so the rest must be looked for.
    writeFileSync(index, whole.index.split('\n').slice(0, -2).join('\n').concat('\n'));
    expect(shown(await mendedTwice(folder))).toEqual(shown(recorded.slice(0, -1)));
  });
});

test.each([
  ['no file', undefined],
  ['an empty file', ''],
  ['something else', 'this is no recording at all, though it is long enough for a header'],
])('of %s nothing is made', async (_, content) => {
  const folder = temporaryFolder();
  if (content !== undefined) writeFileSync(join(folder, 'source.mp4'), content);
  expect(await mendRecording(folder)).toEqual([]);
});

test('the times of segments are those of the wall clock', () => {
  const [first] = readIndex(whole.index);
  expect(Math.abs((first?.startsAt ?? 0) - packagedAt)).toBeLessThan(100);
});

/** The name of the field that a byte of the index belongs to, or of the one beside it. */
function fieldAt(index: string, at: number): string {
  const before =
    index
      .slice(0, at + 1)
      .split(/[,{\n]/)
      .at(-1) ?? '';
  const after = index.slice(at + 1).split(/[,{\n]/)[0] ?? '';
  return before + after;
}
