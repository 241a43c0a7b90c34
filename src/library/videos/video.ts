// A recorded video as the interface shows it.
import * as z from 'zod';
import { idMax, integer } from '../../base/api/fields.ts';
import type { Zone } from '../../base/lib/time.ts';
import type { VideoRow } from './video-store.ts';

/** For the endpoints of one video. */
export const videoById = {
  params: { video_id: integer('video id', { min: 1, max: idMax }) },
  absent: 'noVideo',
} as const;

/** Interface 2.3. */
export const videoAnswer = z
  .object({
    id: z.int().meta({ description: 'video id' }),
    act_id: z.int().meta({ description: 'id of the channel the video belongs to' }),
    name: z.string().meta({ description: 'video name' }),
    video_url: z.string().meta({ description: 'original video address' }),
    video_size: z.int().meta({ description: 'size in bytes' }),
    m3u8: z.string().meta({ description: 'm3u8 address' }),
    m3u8_480: z
      .string()
      .meta({ description: 'm3u8 address, 480 variant; empty where there is none' }),
    m3u8_720: z
      .string()
      .meta({ description: 'm3u8 address, 720 variant; empty where there is none' }),
    m3u8_1080: z
      .string()
      .meta({ description: 'm3u8 address, 1080 variant; empty where there is none' }),
    duration: z.int().meta({ description: 'length in seconds' }),
    width: z.int().meta({ description: 'video width' }),
    height: z.int().meta({ description: 'video height' }),
    cover_url: z.string().meta({ description: 'cover image address' }),
    watch_url: z.string().meta({ description: 'playback address' }),
    embed_url: z.string().meta({ description: 'embed address' }),
    manager: z.int().meta({ description: 'channel manager id; 0 when there is none' }),
    upload_time: z.string().meta({ description: 'upload time' }),
    start_time: z.string().meta({ description: 'video start time' }),
    end_time: z.string().meta({ description: 'video end time' }),
  })
  .meta({ title: 'Video' });

export function videoView(
  row: VideoRow,
  baseUrl: string,
  zone: Zone,
): z.output<typeof videoAnswer> {
  // A recording of ours is kept as a path of this site; an imported video keeps its own address.
  const absolute = (kept: string) =>
    kept.startsWith('/') && !kept.startsWith('//') ? baseUrl + kept : kept;
  const time = (at: number | null) => (at === null ? '' : zone.dateTime(at));
  return {
    id: row.id,
    act_id: row.channel_id,
    name: row.name,
    video_url: absolute(row.video_url),
    video_size: row.video_size,
    m3u8: absolute(row.m3u8),
    m3u8_480: absolute(row.m3u8_480),
    m3u8_720: absolute(row.m3u8_720),
    m3u8_1080: absolute(row.m3u8_1080),
    duration: row.duration,
    width: row.width,
    height: row.height,
    cover_url: absolute(row.cover_url),
    watch_url: `${baseUrl}/videos/${row.id}`,
    embed_url: `${baseUrl}/embed/videos/${row.id}`,
    manager: row.manager_id,
    upload_time: time(row.upload_time),
    start_time: time(row.start_time),
    end_time: time(row.end_time),
  };
}

export const videoExample: z.output<typeof videoAnswer> = {
  id: 311,
  act_id: 1024,
  name: 'Spring launch 2026-05-01 19:30',
  video_url: 'https://live.example.com/recordings/311/video.mp4',
  video_size: 734003200,
  m3u8: 'https://live.example.com/recordings/311/index.m3u8',
  m3u8_480: 'https://live.example.com/recordings/311/480.m3u8',
  m3u8_720: 'https://live.example.com/recordings/311/720.m3u8',
  m3u8_1080: '',
  duration: 3605,
  width: 1280,
  height: 720,
  cover_url: 'https://live.example.com/recordings/311/cover.jpg',
  watch_url: 'https://live.example.com/videos/311',
  embed_url: 'https://live.example.com/embed/videos/311',
  manager: 7,
  upload_time: '2026-05-01 20:30:09',
  start_time: '2026-05-01 19:30:02',
  end_time: '2026-05-01 20:30:07',
};

/** On disk: as it was pushed, and as an MP4. Smaller sizes are not counted: not every video has them. */
export const videoCopies = 2;

/** Of a recording of ours, from that of its source: the playlist that lists all its sizes. */
export function everySizeAddress(m3u8: string): string | undefined {
  const [, folder] = /^(\/recordings\/\d+\/)index\.m3u8$/.exec(m3u8) ?? [];
  return folder && `${folder}all.m3u8`;
}
