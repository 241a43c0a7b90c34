// What is asked before a job of a recording is begun: room on the disk, and how long it may take.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { engines, temporaryFolder } from '../../../test/support/engines.ts';
import { newChannel, openTestStore } from '../../../test/support/store.ts';
import type { Store } from '../../base/db/sql.ts';
import {
  HopelessError,
  type JobKind,
  type JobRow,
  jobKinds,
  Postponed,
} from '../../library/jobs/job.ts';
import { recordingJobs } from './recording-jobs.ts';
import { recordingStorage } from './recording-storage.ts';
import { addRecording } from './recording-store.ts';
import { WrittenSizes } from './written-sizes.ts';

const minuteMs = 60_000;
const memoryBytesMax = 768 * 1_048_576;
const refusals = { note: () => {} };
const { signal } = new AbortController();
const [sqlite] = engines;
if (!sqlite) throw new Error('no engine');

let store: Store;
let dataDir: string;
beforeEach(async () => {
  store = await openTestStore(sqlite);
  dataDir = temporaryFolder();
});
afterEach(() => store.close());

describe('room', () => {
  test('a copy of the source must fit beside what is kept free, else the job is put off', async () => {
    const video_id = await addVideo({ video_size: 1_000 });
    for (const kind of jobKinds) {
      const problem = await problemOf(kind, video_id, Number.MAX_SAFE_INTEGER);
      expect([kind, problem instanceof Postponed]).toEqual([kind, kind !== 'cover']);
    }
  });

  test('the source counts, not only what is kept free', async () => {
    const small = await addVideo({ video_size: 1_000 });
    const large = await addVideo({ video_size: 2 ** 52 });
    // There is nothing to be read, so the small one fails in its own way.
    expect(await problemOf('mp4', small, 0)).not.toBeInstanceOf(Postponed);
    expect(await problemOf('mp4', large, 0)).toBeInstanceOf(Postponed);
  });

  test('a job without a video is hopeless, not put off', async () => {
    expect(await problemOf('mp4', 77, Number.MAX_SAFE_INTEGER)).toBeInstanceOf(HopelessError);
  });
});

test.each<[JobKind, seconds: number, minutes: number]>([
  ['mp4', 10, 5],
  ['mp4', 3_600, 120],
  ['cover', 10, 5],
  ['cover', 3_600, 5],
  ['480', 10, 10],
  ['720', 3_600, 1_200],
  ['1080', 3_600, 1_200],
])('a job %s of %d seconds may take %d minutes', async (kind, duration, minutes) => {
  const { deadlineMs } = jobs({ freeBytesMin: 0 });
  const job = { kind, video_id: await addVideo({ duration }) } as JobRow;
  expect(await deadlineMs(job)).toBe(minutes * minuteMs);
});

test('no deadline is longer than a day', async () => {
  const { deadlineMs } = jobs({ freeBytesMin: 0 });
  const job = { kind: '480', video_id: await addVideo({ duration: 1_000 * 3_600 }) } as JobRow;
  // A longer one would end at once.
  expect(await deadlineMs(job)).toBe(86_400_000);
});

/** A video whose folder is empty. */
async function addVideo(of: { video_size?: number; duration?: number }): Promise<number> {
  const recording = randomUUID();
  mkdirSync(join(dataDir, 'recordings', recording), { recursive: true });
  const made = await store.perform(addRecording, {
    show_at: null,
    show_ms: null,
    recording,
    channel_id: await newChannel(store),
    account_id: 1,
    startText: '',
    video_size: 1,
    duration: 1,
    width: 640,
    height: 360,
    start_time: 0,
    end_time: 1,
    sameAsSource: [],
    jobs: [],
    node: 'node',
    now: 0,
    ...of,
  });
  if (typeof made !== 'number') throw new Error(made);
  return made;
}

/** What a handler throws. */
async function problemOf(kind: JobKind, video_id: number, freeBytesMin: number): Promise<unknown> {
  const { handlers } = jobs({ freeBytesMin });
  return await handlers[kind]({ kind, video_id } as JobRow, signal).then(
    () => undefined,
    (error: unknown) => error,
  );
}

function jobs({ freeBytesMin }: { freeBytesMin: number }) {
  const storage = recordingStorage({ dataDir, bucket: undefined });
  const written = new WrittenSizes();
  return recordingJobs({
    ...{ store, dataDir, freeBytesMin, memoryBytesMax, refusals, storage, written },
  });
}
