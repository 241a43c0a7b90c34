import { describe, expect, test } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Clip } from '../../../test/fixtures/media/clip.ts';
import { temporaryFolder } from '../../../test/support/engines.ts';
import { clipPackets, slowlyPackaged } from '../../../test/support/media.ts';
import { mendRecording } from './mend.ts';
import { Recorder } from './recorder.ts';
import { RecordingFile } from './recording-file.ts';
import { readIndex } from './recording-index.ts';

/** A recorder, the recordings that it finished, and a push that comes part by part. */
function trial({
  clip = clipPackets(12),
  durationMsMax = 3_600_000,
  segmentsMax = 1_000,
}: Partial<{ clip: Clip; durationMsMax: number; segmentsMax: number }> = {}) {
  const root = temporaryFolder();
  const finished: RecordingFile[] = [];
  const opened: RecordingFile[] = [];
  const state = { hasRoom: true, isBroken: false };
  const recorder = new Recorder({
    durationMsMax,
    segmentsMax,
    hasRoom: () => state.hasRoom,
    open: () => {
      const folder = join(root, `${opened.length}`);
      // A file where the folder should be: nothing can be written into it.
      if (state.isBroken) writeFileSync(folder, '');
      const file = new RecordingFile(folder, { channel_id: 1, account_id: 1 });
      opened.push(file);
      return file;
    },
    finish: (file) => finished.push(file),
  });
  const { nextPart, end } = slowlyPackaged(clip, recorder);
  const push = async (parts: number) => {
    for (let n = 0; n < parts; n++) {
      nextPart();
      await new Promise(setImmediate);
    }
  };
  const durations = async () => {
    const all: number[] = [];
    for (const file of finished) {
      await file.close();
      const segments = await mendRecording(file.folder);
      all.push(segments.reduce((sum, { durationMs }) => sum + durationMs, 0));
    }
    return all;
  };
  return { state, opened, finished, push, end, durations };
}

test('a push of too many segments becomes several recordings', async () => {
  const { opened, finished, push, end } = trial({ segmentsMax: 2 });
  await push(50);
  end();
  for (const file of finished) await file.close();
  const counts = finished.map(({ folder }) => readIndex(indexOf(folder)).length);
  expect(opened).toHaveLength(counts.length);
  expect(counts).toEqual([2, 2, 2]);
});

test('a push is one recording, finished when it ends', async () => {
  const { opened, finished, push, end, durations } = trial();
  await push(30);
  expect(finished).toHaveLength(0);
  end();
  expect(opened).toHaveLength(1);
  expect(Math.abs(((await durations())[0] ?? 0) - 6_000)).toBeLessThanOrEqual(250);
});

test('a push that never had a part leaves no recording', () => {
  const { opened, finished, end } = trial();
  end();
  expect([opened.length, finished.length]).toEqual([0, 0]);
});

test('a recording that has its hours ends at a key frame, and the next goes on without a gap', async () => {
  const { finished, push, end, durations } = trial({ durationMsMax: 3_000 });
  await push(50);
  end();
  expect((await durations()).slice(0, 2)).toEqual([4_000, 4_000]);
  let next: number | undefined;
  for (const { folder } of finished) {
    const segments = readIndex(readFileSync(join(folder, 'source.index'), 'utf8'));
    const [first] = segments;
    const last = segments.at(-1);
    expect(first).toMatchObject({ isIndependent: true, init: { at: 0 } });
    expect(first?.startsAt).toBe(next ?? (first?.startsAt as number));
    next = (last?.startsAt ?? 0) + (last?.durationMs ?? 0);
  }
});

test('hours do not end a recording where decoding cannot start', async () => {
  const { tracks, packets } = clipPackets(12);
  const oneKey = packets.map((packet, n) => ({
    ...packet,
    isKey: packet.kind === 'audio' || n === packets.findIndex(({ kind }) => kind === 'video'),
  }));
  const clip = { tracks, packets: oneKey };
  const { opened, push, end, durations } = trial({ clip, durationMsMax: 1_000 });
  await push(50);
  end();
  expect(opened).toHaveLength(1);
  expect(Math.abs(((await durations())[0] ?? 0) - 10_000)).toBeLessThanOrEqual(250);
});

describe('a disk that fails', () => {
  test('ends the recording, and another begins with the next segment', async () => {
    const { state, opened, finished, push, end, durations } = trial();
    state.isBroken = true;
    await push(5);
    while (opened[0]?.problem === undefined) await Bun.sleep(1);
    state.isBroken = false;
    await push(20);
    end();
    expect(finished.map(({ problem }) => problem === undefined)).toEqual([false, true]);
    const [, second] = await durations();
    // Begun with the second segment, after two seconds of five.
    expect(Math.abs((second ?? 0) - 3_000)).toBeLessThanOrEqual(250);
  });
});

describe('a disk without room', () => {
  test('is not recorded on, until there is room again', async () => {
    const { state, opened, finished, push, end, durations } = trial();
    state.hasRoom = false;
    await push(15);
    expect(opened).toHaveLength(0);
    state.hasRoom = true;
    await push(15);
    end();
    expect(finished).toHaveLength(1);
    expect(Math.abs(((await durations())[0] ?? 0) - 2_000)).toBeLessThanOrEqual(250);
  });

  test('ends what is being recorded with its segment, before the disk is full', async () => {
    const { state, finished, push, end, durations } = trial();
    await push(15);
    state.hasRoom = false;
    await push(10);
    expect(finished).toHaveLength(1);
    await push(5);
    end();
    expect(await durations()).toEqual([4_000]);
  });
});

function indexOf(folder: string): string {
  return readFileSync(join(folder, 'source.index'), 'utf8');
}
