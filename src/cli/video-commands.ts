// `footlight video list|deleted|delete|restore`: the videos of an account, beside the service if it runs.
import type { Config } from '../config.ts';
import { keptMsOf } from '../library/deletion/deleted-channel.ts';
import { deletedVideoView } from '../library/deletion/deleted-video.ts';
import {
  deleteVideo,
  listDeletedVideos,
  restoreVideo,
} from '../library/deletion/deleted-video-store.ts';
import { accountOfVideo, listVideos, type VideoRow } from '../library/videos/video-store.ts';
import {
  type Command,
  oneId,
  printAll,
  printLine,
  readOptions,
  wholeNumber,
  withStore,
} from './command.ts';

export const videoCommands: Command[] = [
  {
    name: 'video list',
    audit: 'nothing',
    usage: 'video list [--account N] [--channel N] [--title TEXT]',
    sentence: 'Videos of an account, the newest first, one JSON line each.',
    run: async (words, config) => {
      const { options } = readOptions(words, ['account', 'channel', 'title']);
      const { title, channel } = options;
      const act_id = channel === undefined ? undefined : wholeNumber(channel, '--channel');
      const asked = { owner: ownerIn(options), title, act_id, manager: undefined };
      await withStore(config, (store) =>
        printAll(
          (page) => store.perform(listVideos, { ...asked, ...page }),
          (row) => lineOf(row, config),
        ),
      );
      return 0;
    },
  },
  {
    name: 'video deleted',
    audit: 'nothing',
    usage: 'video deleted [--account N]',
    sentence: 'Deleted videos that can be restored, the last deleted first, one JSON line each.',
    run: async (words, config) => {
      const { options } = readOptions(words, ['account']);
      const keptMs = keptMsOf(config);
      const asked = { owner: ownerIn(options), keptMs, now: Date.now() };
      await withStore(config, (store) =>
        printAll(
          (page) => store.perform(listDeletedVideos, { ...asked, ...page }),
          (row) => deletedVideoView(row, { zone: config.zone, keptMs }),
        ),
      );
      return 0;
    },
  },
  {
    name: 'video delete',
    audit: 'videos',
    usage: 'video delete N',
    sentence: 'Delete video N; it can be restored for DELETED_CHANNEL_DAYS.',
    run: async (words, config) => {
      const id = oneId(words, 'the video id');
      const { name } = await withStore(config, async (store) => {
        const owner = { account_id: await accountOfVideo(store, id), manager_id: 0 };
        return await store.perform(deleteVideo, { id, owner, now: Date.now() });
      });
      printLine({ id, name, result: 'success' });
      return 0;
    },
  },
  {
    name: 'video restore',
    audit: 'videos',
    usage: 'video restore N',
    sentence: 'Bring a deleted video back.',
    run: async (words, config) => {
      const id = oneId(words, 'the video id');
      const { name } = await withStore(config, async (store) => {
        const owner = { account_id: await accountOfVideo(store, id), manager_id: 0 };
        const order = { id, owner, keptMs: keptMsOf(config), now: Date.now() };
        return await store.perform(restoreVideo, order);
      });
      printLine({ id, name });
      return 0;
    },
  },
];

function ownerIn({ account }: { account?: string }) {
  return { account_id: wholeNumber(account ?? '1', '--account'), manager_id: 0 };
}

/** What tells one from another; addresses are the service's to say. */
function lineOf(row: VideoRow, { zone }: Config) {
  return {
    id: row.id,
    act_id: row.channel_id,
    name: row.name,
    video_size: row.video_size,
    duration: row.duration,
    manager: row.manager_id,
    upload_time: row.upload_time === null ? '' : zone.dateTime(row.upload_time),
  };
}
