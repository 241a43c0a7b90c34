// `footlight video list|show|import|download|captions|delete|restore|deleted`: the videos of an account, beside the service if it runs.
import type { Store } from '../../base/db/sql.ts';
import type { Config } from '../../config.ts';
import { accountOfChannel } from '../../library/channels/channel-store.ts';
import { keptMsOf } from '../../library/deletion/deleted-channel.ts';
import { deletedVideoView } from '../../library/deletion/deleted-video.ts';
import {
  deleteVideo,
  listDeletedVideos,
  restoreVideo,
} from '../../library/deletion/deleted-video-store.ts';
import { type ManagedVideoRow, managedVideoView } from '../../library/videos/managed-video.ts';
import { findManaged } from '../../library/videos/managed-video-store.ts';
import { accountOfVideo, listVideos, type VideoRow } from '../../library/videos/video-store.ts';
import { siteAddress } from '../parts/addresses.ts';
import { type Command, command } from '../parts/command.ts';
import { printAll, withStore } from '../parts/command-database.ts';
import { CommandError, refused } from '../parts/exit-codes.ts';
import { untilInterrupted } from '../parts/interrupt.ts';
import { flag, needed, option, usually, word } from '../parts/option.ts';
import type { Output } from '../parts/output.ts';
import { checkTarget, download } from '../parts/target-file.ts';
import { exact, file, name, whole } from '../parts/value-kinds.ts';
import { videoCaptionsCommand } from './video-captions-command.ts';

const videoId = word(whole, 'the video id', 'Which video; video list says which there are.');
const account = usually(whole, '1', 'Of which account.');

export const videoCommands: readonly Command[] = [
  command({
    name: 'video list',
    audit: 'nothing',
    sentence: 'Videos of an account, the newest first.',
    options: {
      account,
      channel: option(whole, 'Only those of this channel.'),
      title: option(exact, 'Only those whose name has this in it.'),
    },
    examples: ['video list --channel 7 --title launch'],
    run: async ({ account: account_id, channel: act_id, title }, run) => {
      const asked = { owner: { account_id, manager_id: 0 }, title, act_id, manager: undefined };
      await withStore(run, (store) =>
        printAll(run.out, {
          read: (page) => store.perform(listVideos, { ...asked, ...page }),
          shown: (row) => lineOf(row, run.config),
          columns: ['id', 'act_id', 'name', 'duration', 'video_size', 'upload_time'],
        }),
      );
    },
  }),
  command({
    name: 'video show',
    audit: 'nothing',
    sentence: 'A video with its addresses, and what has become of each of its files.',
    words: { id: videoId },
    examples: ['video show 311'],
    run: async ({ id }, run) => {
      const row = await withStore(run, (store) => findOne(store, id));
      const { files, ...shown } = managedVideoView(row, siteAddress(run.config), run.config.zone);
      if (run.out.isForPeople) {
        await run.out.thing(shown);
        await run.out.text('');
        await run.out.all(files, ['file', 'state', 'size', 'tries', 'changed_at', 'problem']);
      } else await run.out.line({ ...shown, files });
    },
  }),
  command({
    name: 'video import',
    audit: 'videos',
    sentence: 'Make a video of a media file of this machine, as an upload would.',
    more: 'The file is copied, and stays. While the service runs it makes the video; else this command does, and no service can start until it is done. The mp4, the cover and the variants are made by the service. Rows from another platform: import videos.',
    words: {
      file: word(file, 'FILE', 'MP4, MOV, MKV, WebM, MPEG-TS or what else can be uploaded.'),
    },
    options: {
      channel: needed(whole, 'Of which channel it will be.'),
      name: option(name, 'What it is called; without it as the file.'),
      'no-wait': flag('Hand the file over and wait for nothing.'),
    },
    examples: ['video import launch.mov --channel 7 --name "Spring launch"'],
    run: async ({ file: source, channel: channel_id, name = '', ...given }, run) => {
      // Half of the service, which no other command needs to read.
      const { importMediaFile } = await import('./file-import.ts');
      const { config, out } = run;
      const row = await untilInterrupted((signal) =>
        withStore(run, async (store) => {
          const account_id = await accountOfChannel(store, channel_id);
          return await importMediaFile(
            { source, account_id, channel_id, name },
            { config, store, out, isLeft: given['no-wait'], signal },
          );
        }),
      );
      const { id: upload, video_id, state, size } = row;
      await out.thing({ id: video_id, act_id: channel_id, name: row.name, upload, state, size });
    },
  }),
  command({
    name: 'video download',
    audit: 'nothing',
    sentence: 'The mp4 of a video as a file; broken off, the next run goes on where it was.',
    words: { id: videoId },
    options: {
      to: option(file, 'Where to; - for standard output. Without it video-ID.mp4 in this folder.'),
      force: flag('Replace a file that is there.'),
      wait: flag('Wait until the mp4 is made, where it is not yet.'),
    },
    examples: ['video download 311 --to launch.mp4', 'video download 311 --to - | ffprobe -'],
    run: async ({ id, to = `video-${id}.mp4`, force, wait }, run) => {
      const { sourceOf } = await import('./video-source.ts');
      const { config, out } = run;
      const target = { path: to, force, dataDir: config.dataDir };
      if (to !== '-') await checkTarget(target);
      const source = await withStore(run, async (store) => {
        const row = await madeVideo(store, id, { wait, out });
        return await sourceOf(row, { store, config });
      });
      const progress = out.progress({ what: `video ${id}`, unit: 'bytes', total: source.size });
      try {
        if (to === '-') {
          let came = 0;
          for await (const piece of source.read(0)) {
            await out.raw(piece);
            came += piece.length;
            progress.update(came);
          }
          return;
        }
        let isFirst = true;
        const done = await download(source, target, (came) => {
          if (isFirst) progress.beginAt(came);
          isFirst = false;
          progress.update(came);
        });
        progress.end();
        await out.thing({ id, file: to, size: done.bytes, resumed_at: done.resumedAt });
      } finally {
        progress.end();
      }
    },
  }),
  videoCaptionsCommand,
  command({
    name: 'video delete',
    audit: 'videos',
    sentence: 'Delete a video; it can be restored for DELETED_CHANNEL_DAYS.',
    words: { id: videoId },
    examples: ['video delete 311'],
    run: async ({ id }, run) => {
      const { name } = await withStore(run, async (store) => {
        const owner = { account_id: await accountOfVideo(store, id), manager_id: 0 };
        return await store.perform(deleteVideo, { id, owner, now: Date.now() });
      });
      await run.out.thing({ id, name, result: 'success' });
    },
  }),
  command({
    name: 'video restore',
    audit: 'videos',
    sentence: 'Bring a deleted video back.',
    words: { id: videoId },
    examples: ['video restore 311'],
    run: async ({ id }, run) => {
      const { name } = await withStore(run, async (store) => {
        const owner = { account_id: await accountOfVideo(store, id), manager_id: 0 };
        const order = { id, owner, keptMs: keptMsOf(run.config), now: Date.now() };
        return await store.perform(restoreVideo, order);
      });
      await run.out.thing({ id, name });
    },
  }),
  command({
    name: 'video deleted',
    audit: 'nothing',
    sentence: 'Deleted videos that can be restored, the last deleted first.',
    options: { account },
    run: async ({ account: account_id }, run) => {
      const { zone } = run.config;
      const keptMs = keptMsOf(run.config);
      const asked = { owner: { account_id, manager_id: 0 }, keptMs, now: Date.now() };
      await withStore(run, (store) =>
        printAll(run.out, {
          read: (page) => store.perform(listDeletedVideos, { ...asked, ...page }),
          shown: (row) => deletedVideoView(row, { zone, keptMs }),
          columns: ['id', 'channel', 'name', 'deleted_at', 'goes_at'],
        }),
      );
    },
  }),
];

async function findOne(store: Store, id: number): Promise<ManagedVideoRow> {
  const owner = { account_id: await accountOfVideo(store, id), manager_id: 0 };
  return await store.perform(findManaged, { id, owner });
}

/** How often it is looked whether a file is made. */
const lookEveryMs = 500;

/** With an mp4 that is made; waits for it where it is asked to. */
async function madeVideo(
  store: Store,
  id: number,
  { wait, out }: { wait: boolean; out: Output },
): Promise<ManagedVideoRow> {
  for (let told = ''; ; ) {
    const row = await findOne(store, id);
    const job = row.jobs.find(({ kind }) => kind === 'mp4');
    if (!job || job.state === 'done') return row;
    if (job.state === 'failed')
      throw new CommandError('failed', `the mp4 of video ${id} could not be made: ${job.problem}`);
    if (!wait)
      throw refused(
        `the mp4 of video ${id} is not made yet (${job.state}): --wait waits for it, while the service runs`,
      );
    if (told !== job.state) await out.remark(`the mp4 of video ${id} is ${job.state}`);
    told = job.state;
    await Bun.sleep(lookEveryMs);
  }
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
