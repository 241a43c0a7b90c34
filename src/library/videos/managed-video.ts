// A video as those who run it see it: with each of its files, and why one could not be made.
import * as z from 'zod';
import type { Zone } from '../../base/lib/time.ts';
import { jobKinds } from '../jobs/job.ts';
import type { JobOfVideo } from '../jobs/job-store.ts';
import { videoAnswer, videoExample, videoView } from './video.ts';
import type { VideoRow, VideoState } from './video-store.ts';

/** What was pushed, uploaded or cut, and what is made of it. */
export const fileNames = ['source', ...jobKinds] as const;
type FileName = (typeof fileNames)[number];

const fileStates = ['ready', 'waiting', 'running', 'failed'] as const;

/** Of a video: one of its files failed; else one is still to be made; else all are there. */
export const videoStates = ['ready', 'working', 'failed'] as const satisfies VideoState[];

const fileAnswer = z
  .object({
    file: z.enum(fileNames).meta({ description: 'what was recorded, or what is made of it' }),
    state: z.enum(fileStates),
    problem: z
      .string()
      .meta({ description: 'why the last try failed or was put off; empty where none was' }),
    tries: z.int().meta({ description: 'how often it was begun' }),
    size: z.int().meta({ description: 'in bytes; 0 where that is not known' }),
    changed_at: z.string().meta({ description: 'when its state last changed; empty of a source' }),
  })
  .meta({ title: 'VideoFile' });

type FileView = z.output<typeof fileAnswer>;

export const managedVideoAnswer = videoAnswer
  .extend({
    state: z.enum(videoStates),
    files: z.array(fileAnswer),
  })
  .meta({ title: 'ManagedVideo' });

export interface ManagedVideoRow extends VideoRow {
  jobs: readonly JobOfVideo[];
}

export function managedVideoView(
  row: ManagedVideoRow,
  baseUrl: string,
  zone: Zone,
): z.output<typeof managedVideoAnswer> {
  const files = filesOf(row, zone);
  return { ...videoView(row, baseUrl, zone), state: stateOf(files), files };
}

function stateOf(files: readonly FileView[]): VideoState {
  if (files.some(({ state }) => state === 'failed')) return 'failed';
  return files.every(({ state }) => state === 'ready') ? 'ready' : 'working';
}

/** Of a recording each job is a file; of a video that was imported only its addresses are known. */
function filesOf(row: ManagedVideoRow, zone: Zone): FileView[] {
  const there = (file: FileName, size = 0): FileView => ({
    file,
    state: 'ready',
    problem: '',
    tries: 0,
    size,
    changed_at: '',
  });
  if (row.jobs.length > 0) {
    const made = row.jobs.map(
      ({ kind, state, problem, tries, size, changed_at }): FileView => ({
        file: kind,
        state: state === 'done' ? 'ready' : state,
        problem,
        tries,
        size: size ?? 0,
        changed_at: zone.dateTime(changed_at),
      }),
    );
    const order = (file: FileName) => fileNames.indexOf(file);
    // As long as there is no MP4, what is served as the video is the source.
    const isSource = !made.some(({ file, state }) => file === 'mp4' && state === 'ready');
    const source = there('source', isSource ? row.video_size : 0);
    return [source, ...made.toSorted((a, b) => order(a.file) - order(b.file))];
  }
  const addresses: Record<FileName, string> = {
    source: row.m3u8,
    mp4: row.video_url,
    cover: row.cover_url,
    '480': row.m3u8_480,
    '720': row.m3u8_720,
    '1080': row.m3u8_1080,
  };
  return fileNames
    .filter((file) => addresses[file] !== '')
    .map((file) => there(file, file === 'mp4' ? row.video_size : 0));
}

export const managedVideoExample: z.output<typeof managedVideoAnswer> = {
  ...videoExample,
  state: 'failed',
  files: [
    { file: 'source', state: 'ready', problem: '', tries: 0, size: 0, changed_at: '' },
    {
      file: 'mp4',
      state: 'ready',
      problem: '',
      tries: 1,
      size: 734_003_200,
      changed_at: '2026-05-01 20:31:12',
    },
    {
      file: '480',
      state: 'failed',
      problem: 'it took longer than it may',
      tries: 3,
      size: 0,
      changed_at: '2026-05-01 22:02:40',
    },
  ],
};
