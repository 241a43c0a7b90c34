// Every push becomes a video: opens recordings, finishes them, also those that a crash has left, and bounds the disk.
import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Store } from '../db/sql.ts';
import type { Log } from '../lib/log.ts';
import type { Zone } from '../lib/time.ts';
import type { LiveChannel } from '../live/live-stream.ts';
import type { FragmentReader } from '../packaging/fragment.ts';
import { hasRoomFor } from './disk-room.ts';
import { type MadeVideo, makeVideo } from './make-video.ts';
import { Recorder } from './recorder.ts';
import { RecordingFile } from './recording-file.ts';
import { recordingsFolder, removeFolder } from './recording-folder.ts';
import { isKnown, oldRecordings, removeRecording } from './recording-store.ts';

export interface RecordingsOptions {
  dataDir: string;
  /** The name of this service; recordings lie on its disk. */
  node: string;
  store: Store;
  zone: Zone;
  now: () => number;
  log: Log;
  maxHours: number;
  /** Recording stops while the disk has less free than this. */
  freeBytesMin: number;
  /** Videos older than this are removed; 0 keeps them for ever. */
  retentionDays: number;
  /** There is a new video with work to be done. */
  onVideo(video: MadeVideo): void;
}

export interface Recordings {
  /** What records a push; undefined where its account keeps none. */
  open(channel: LiveChannel): FragmentReader | undefined;
  /** Recordings that ended before their push did, since the start: the disk was full, too slow or failed. */
  shedCount(): number;
  /** Resolves when every recording that has ended is a video, or cannot become one now. */
  stop(): Promise<void>;
}

const roomEveryMs = 2_000;
const roomAgainFactor = 1.1;
const retentionEveryMs = 60_000;
const removedAtOnce = 100;
/** A recording that cannot be finished, because the database is away, is tried again; the wait doubles. */
const retryMs = 1_000;
const retryMsMax = 60_000;
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

export async function startRecordings(options: RecordingsOptions): Promise<Recordings> {
  const { dataDir, store, log, now } = options;
  const root = recordingsFolder(dataDir);
  const finishing = new Set<Promise<void>>();
  const stopping = Promise.withResolvers<'stopping'>();
  let hasRoom = await hasRoomFor(dataDir, options.freeBytesMin);
  let shedCount = 0;

  const finish = (name: string, close: () => Promise<void>) => {
    const work = (async () => {
      await close();
      for (
        let waitMs = retryMs;
        !(await finished(name));
        waitMs = Math.min(2 * waitMs, retryMsMax)
      ) {
        const woken = await Promise.race([Bun.sleep(waitMs), stopping.promise]);
        if (woken === 'stopping') return;
      }
    })();
    finishing.add(work);
    work.finally(() => finishing.delete(work));
  };

  /** Whether nothing is left to be done; false where the database is away. */
  const finished = async (name: string): Promise<boolean> => {
    try {
      const video = await makeVideo(options, name);
      if (video) options.onVideo(video);
      return true;
    } catch (error) {
      log.error('a recording could not be made a video yet', { recording: name, error });
      return false;
    }
  };

  const room = setInterval(async () => {
    const had = hasRoom;
    // At the very border a push would become many short videos.
    const wantedBytes = options.freeBytesMin * (had ? 1 : roomAgainFactor);
    hasRoom = await hasRoomFor(dataDir, wantedBytes);
    if (had !== hasRoom)
      log.warn(
        hasRoom ? 'there is room for recordings again' : 'too little room: nothing is recorded',
      );
  }, roomEveryMs);
  const sweep = async () => {
    await removeOld(options).catch((error) =>
      log.warn('old videos could not be removed', { error }),
    );
  };
  let sweeping = sweep();
  const retention = setInterval(() => {
    sweeping = sweep();
  }, retentionEveryMs);

  for (const name of await leftOver(root, store)) finish(name, async () => {});

  return {
    open: (channel) => {
      if (channel.auto_save_live_video !== 1) return undefined;
      const note = { channel_id: channel.id, account_id: channel.account_id };
      return new Recorder({
        durationMsMax: options.maxHours * hourMs,
        hasRoom: () => hasRoom,
        open: () => {
          const name = `${now().toString(36)}-${randomBytes(8).toString('hex')}`;
          return new RecordingFile(join(root, name), note);
        },
        finish: (file) => {
          const name = file.folder.slice(root.length + 1);
          const isCrowdedOut = !hasRoom;
          finish(name, async () => {
            await file.close();
            if (isCrowdedOut || file.problem !== undefined) shedCount += 1;
            if (file.problem !== undefined)
              log.error('a recording ended early', { recording: name, error: file.problem });
          });
        },
      });
    },
    shedCount: () => shedCount,
    stop: async () => {
      stopping.resolve('stopping');
      clearInterval(room);
      clearInterval(retention);
      await Promise.all([...finishing, sweeping]);
    },
  };
}

/** Folders whose push ended with the service: a kill, a power cut, a database that was away. */
async function leftOver(root: string, store: Store): Promise<string[]> {
  const names = await readdir(root).catch(() => []);
  const left: string[] = [];
  for (const name of names) if (!(await isKnown(store, name))) left.push(name);
  return left;
}

/** The files go first: a row without them is removed at the next try, files without a row would become a video again. */
async function removeOld({ store, node, now, log, dataDir, retentionDays }: RecordingsOptions) {
  if (retentionDays === 0) return;
  const before = now() - retentionDays * dayMs;
  const old = await store.perform(oldRecordings, { node, before, limit: removedAtOnce });
  for (const { id, recording } of old) {
    await removeFolder(join(recordingsFolder(dataDir), recording));
    await store.perform(removeRecording, { id });
    log.info('a video was removed because of its age', { video_id: id });
  }
}
