// A video of a running service whose files a test has made: as it is once all jobs of a recording are done.
import { cpSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { addMade, addRecording } from '../../src/stream/recording/recording-store.ts';
import { outside, recordedClips, startsAt } from './recorded-clip.ts';
import type { TestService } from './service.ts';

export interface ShownVideo {
  id: number;
  folder: string;
}

export interface ShownVideoOptions {
  channelId: number;
  seconds: number;
  /** With a variant of 480 lines beside the source, which has 720. */
  isSmaller?: boolean;
}

/** Few pictures a second: each is painted by the processor. */
const calm = ['-r', '5', '-g', '10'];

export async function addShownVideo(
  { store, settings }: Pick<TestService, 'store' | 'settings'>,
  { channelId, seconds, isSmaller = false }: ShownVideoOptions,
): Promise<ShownVideo> {
  const made = await recordedClips({ size: '1280x720', seconds, more: calm });
  const recording = `shown-${channelId}-${seconds}-${isSmaller}`;
  const folder = join(settings['DATA_DIR'] ?? '', 'recordings', recording);
  cpSync(made, folder, { recursive: true });
  const source = join(folder, 'source.mp4');
  const video = join(folder, 'video.mp4');
  outside('ffmpeg', [
    '-v',
    'error',
    '-i',
    source,
    '-c',
    'copy',
    '-movflags',
    'faststart',
    '-y',
    video,
  ]);
  const video_size = statSync(video).size;
  const added = await store.perform(addRecording, {
    show_at: null,
    show_ms: null,
    recording,
    channel_id: channelId,
    account_id: 1,
    startText: '2026-05-04 20:00',
    video_size,
    duration: seconds,
    width: 1280,
    height: 720,
    start_time: startsAt,
    end_time: startsAt + seconds * 1_000,
    sameAsSource: ['720'],
    jobs: [],
    node: 'node',
    now: startsAt,
  });
  const id = Number(added);
  if (!isSmaller) return { id, folder };
  const smaller = await recordedClips({ size: '854x480', seconds, more: calm });
  for (const end of ['mp4', 'index'])
    renameSync(join(smaller, `source.${end}`), join(folder, `480.${end}`));
  await store.perform(addMade, { video_id: id, kind: '480', size: 1 });
  return { id, folder };
}
