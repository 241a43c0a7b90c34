// Imports the videos of another platform, each with the addresses it has there.
import { invalidField } from '../../base/api/errors.ts';
import { address, dateTime, idMax, idText, integer, text } from '../../base/api/fields.ts';
import { type ImportOptions, type ImportReport, readLines } from '../../base/api/line-import.ts';
import { readPart } from '../../base/api/shape.ts';
import { letOthersWrite } from '../../base/db/give-way.ts';
import type { Store } from '../../base/db/sql.ts';
import type { Zone } from '../../base/lib/time.ts';
import { addVideos, type ImportedVideo, managersOfChannels } from './video-store.ts';

/** Videos added in one transaction. */
const addRows = 200;
/** All lines are sorted in memory before the first is added; a library beyond this is imported in parts. */
const videosMax = 1_000_000;

export async function importVideos(
  store: Store,
  options: ImportOptions & {
    account_id: number;
    zone: Zone;
    /** Channel ids there to channel ids here; an id that is not named stays as it is. */
    channels: ReadonlyMap<number, number>;
  },
): Promise<ImportReport> {
  const report: ImportReport = { lines: 0, added: 0, known: 0, bad: 0 };
  const managers = await managersOfChannels(store, options.account_id);
  const videos: ImportedVideo[] = [];
  await readLines(options, report, {
    check: videoLineReader(options.zone, options.channels, managers),
    keep: async (good) => {
      for (const { value } of good) videos.push(value);
      if (videos.length > videosMax)
        throw new Error(`a file of more than ${videosMax} videos must be split`);
    },
  });
  // The list shows the newest id first, so the oldest video is added first.
  videos.sort((a, b) => (a.upload_time ?? 0) - (b.upload_time ?? 0));
  for (let at = 0; at < videos.length; at += addRows) {
    const rows = videos.slice(at, at + addRows);
    const { account_id } = options;
    const added = await store.perform(addVideos, { account_id, videos: rows });
    report.added += added;
    report.known += rows.length - added;
    options.onProgress(report, 'added');
    if (at + addRows < videos.length) await letOthersWrite(store);
  }
  return report;
}

const requiredFields = ['id', 'act_id', 'name'] as const;

function videoLineReader(
  zone: Zone,
  channels: ReadonlyMap<number, number>,
  managers: ReadonlyMap<number, number>,
): (line: Record<string, unknown>) => ImportedVideo {
  const size = (description: string) => integer(description, { min: 0, max: idMax, cleared: 0 });
  const shape = {
    id: idText("the video's id there"),
    act_id: integer('id of the channel', { min: 1, max: idMax }),
    name: text('video name', { min: 1, max: 255, trim: true }),
    video_url: address('original video address'),
    video_size: size('size in bytes'),
    m3u8: address('m3u8 address'),
    m3u8_480: address('m3u8 address, 480 variant'),
    m3u8_720: address('m3u8 address, 720 variant'),
    m3u8_1080: address('m3u8 address, 1080 variant'),
    duration: size('length in seconds'),
    width: size('video width'),
    height: size('video height'),
    cover_url: address('cover image address'),
    upload_time: dateTime('upload time', zone),
    start_time: dateTime('video start time', zone),
    end_time: dateTime('video end time', zone),
  };
  return (line) => {
    const given = readPart(shape, line, { required: requiredFields });
    const channel_id = channels.get(given.act_id) ?? given.act_id;
    if (!managers.has(channel_id)) {
      throw invalidField('act_id', `act_id must be a channel of the account (got ${channel_id})`);
    }
    return {
      external_id: given.id,
      channel_id,
      name: given.name,
      video_url: given.video_url ?? '',
      video_size: given.video_size ?? 0,
      m3u8: given.m3u8 ?? '',
      m3u8_480: given.m3u8_480 ?? '',
      m3u8_720: given.m3u8_720 ?? '',
      m3u8_1080: given.m3u8_1080 ?? '',
      duration: given.duration ?? 0,
      width: given.width ?? 0,
      height: given.height ?? 0,
      cover_url: given.cover_url ?? '',
      upload_time: given.upload_time ?? null,
      start_time: given.start_time ?? null,
      end_time: given.end_time ?? null,
    };
  };
}
