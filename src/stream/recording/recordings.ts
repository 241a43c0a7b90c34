// Every push becomes a video: opens recordings, finishes them, also those that a crash has left, and bounds the disk.
import { randomBytes } from 'node:crypto';
import { basename } from 'node:path';
import type { RefusalBook } from '../../base/peers/refusals.ts';
import type { KeptRoom } from '../../library/access/kept-room.ts';
import type { LiveChannel } from '../live/live-stream.ts';
import type { Lease } from '../live/push-lease.ts';
import { pushLimits } from '../live/push-limits.ts';
import type { PushMemory } from '../live/push-memory.ts';
import type { FragmentReader } from '../packaging/fragment.ts';
import { AccountRoom, type Growing } from './account-room.ts';
import { watchRoom } from './disk-room.ts';
import { type MadeVideo, makeVideo } from './make-video.ts';
import { RecordedShows } from './recorded-shows.ts';
import { Recorder } from './recorder.ts';
import { RecordingFile } from './recording-file.ts';
import {
  type RecordingNote,
  readNote,
  recordingFolder,
  recordingsIn,
  removeFolder,
} from './recording-folder.ts';
import { isInBucket, isKnown } from './recording-store.ts';
import { SharedPush } from './shared-push.ts';
import { type UnfinishedOptions, UnfinishedRecordings } from './unfinished-recordings.ts';
import { startVideoRetention, type VideoRetentionOptions } from './video-retention.ts';

export interface RecordingsOptions extends UnfinishedOptions, VideoRetentionOptions {
  maxHours: number;
  /** Recording stops while the disk has less free than this. */
  freeBytesMin: number;
  /** What the recordings and pictures of one account may take; 0: no bound. Beyond it its pushes are live and not recorded. */
  accountBytesMax: number;
  refusals: RefusalBook<'account_disk'>;
  /** Told of every segment that is on the disk; absent where recordings stay there. */
  onSegment?: (of: { recording: string; account_id: number }) => void;
}

export interface Recordings {
  /** What records a push; undefined where its account keeps none. */
  open(channel: LiveChannel, push: RecordedPush): FragmentReader | undefined;
  /** The recording that is being written of a channel's push; undefined where there is none. */
  growing(channel_id: number): GrowingRecording | undefined;
  /** All that was recorded of a show, as long as it is on, and until it is forgotten. */
  readonly shows: RecordedShows;
  /** A folder among the recordings is whole: the video it becomes. Where the database is away it becomes one later. */
  adopt(name: string): Promise<MadeVideo | undefined>;
  /** Whether the account may record more; what was known when last looked. */
  hasRoom(account_id: number): boolean;
  /** Whether the disk has room beside what it must leave; what was known when last looked. */
  hasDiskRoom(): boolean;
  /** Whether the account may have so much more beside all that it has. */
  hasRoomFor(account_id: number, bytes: number): Promise<boolean>;
  /** Something that is no recording yet takes room of the account's, until it is called what this answers. */
  counts(account_id: number, growing: Growing): () => void;
  /** Pictures of pages share the account's room. */
  keptRoom: KeptRoom;
  /** Recordings that ended before their push did, since the start: the disk was full, too slow or failed. */
  shedCount(): number;
  /** Resolves when what other nodes go on with is closed and handed to the spool. */
  handedOver(): Promise<void>;
  /** Resolves when what another node goes on with of a channel's push is named; undefined where nothing is to be. */
  named(channel_id: number): Promise<void> | undefined;
  /** Resolves when every recording that has ended is a video, or cannot become one now. */
  stop(): Promise<void>;
}

export interface RecordedPush {
  /** When its show began, asked when media comes. */
  showAt(): number;
  /** What waits for the disk is counted in it. */
  memory?: PushMemory;
  /** By which this node has it. */
  lease?: Lease;
}

export interface GrowingRecording extends RecordingNote {
  folder: string;
  /** Of its first segment. */
  sequence: number;
}

const hourMs = 3_600_000;

export async function startRecordings(options: RecordingsOptions): Promise<Recordings> {
  const { dataDir, freeBytesMin, refusals, log } = options;
  const left = await leftOver(options);
  const room = await watchRoom({ folder: dataDir, freeBytesMin, log });
  const accounts = new AccountRoom({
    ...options,
    bytesMax: options.accountBytesMax,
    ofAllNodes: options.bucket !== undefined,
  });
  const retention = startVideoRetention(options);
  const unfinished = new UnfinishedRecordings(options);
  for (const name of left) unfinished.add(name, async () => {});
  const handingOver = new Set<Promise<unknown>>();
  /** By channel. */
  const naming = new Map<number, Promise<void>>();
  let shedCount = 0;
  const shows = new RecordedShows();
  const growing = new Map<number, GrowingRecording>();

  /** The rest of a stint goes to where another node goes on with it. */
  const handOver = ({ id, account_id }: LiveChannel, file: RecordingFile) => {
    accounts.left(account_id, file);
    const left = { folder: basename(file.folder), account_id, isLast: false };
    // In an object: who waits until it is handed over does not wait until it is named.
    const handed = file.close().then(() => ({ named: options.onStint?.(left) }));
    handingOver.add(handed);
    handed.finally(() => handingOver.delete(handed));
    unfinished.track(handed);
    const named = handed.then((spooled) => spooled.named);
    naming.set(id, named);
    named.finally(() => naming.get(id) === named && naming.delete(id));
  };
  const finish = (channel: LiveChannel, file: RecordingFile) => {
    accounts.ended(channel.account_id, file);
    const name = basename(file.folder);
    const isCrowdedOut = !room.hasRoom();
    unfinished.add(name, async () => {
      await file.close();
      shows.ended(channel, name);
      if (isCrowdedOut || file.problem !== undefined) shedCount += 1;
      if (file.problem !== undefined)
        log.error('a recording ended early', { recording: name, error: file.problem });
    });
  };
  return {
    open: (channel, { showAt, memory, lease }) => {
      const { id: channel_id, account_id, auto_save_live_video } = channel;
      if (auto_save_live_video !== 1) return undefined;
      const note = { channel_id, account_id };
      let isTold = false;
      const hasAccountRoom = () => {
        const isOver = !accounts.hasRoom(account_id);
        if (isOver && !isTold) refusals.note('account_disk', `account ${account_id}`);
        isTold = isOver;
        return !isOver;
      };
      // Asked before the first segment comes, so that it is known then.
      hasAccountRoom();
      const shared =
        options.onStint && lease && lease.epoch > 0 ? new SharedPush(lease) : undefined;
      return new Recorder({
        ...(shared && { pushedMs: shared.before.pushedMs }),
        durationMsMax: options.maxHours * hourMs,
        segmentsMax: pushLimits.recordingSegments,
        hasRoom: () => room.hasRoom() && hasAccountRoom(),
        open: (pushed_ms, sequence) => {
          const next = shared?.next(sequence);
          const recording = next?.folder ?? recordingName(options.now());
          const folder = recordingFolder(dataDir, recording);
          const stint = next && { stint: next.stint };
          const whole = { ...note, pushed_ms, show_at: showAt(), ...stint };
          const file = new RecordingFile(folder, whole, memory?.holder());
          file.goesOn(next?.before);
          const { onSegment } = options;
          if (onSegment) file.onSegment = () => onSegment({ recording, account_id });
          accounts.begun(account_id, file);
          growing.set(channel_id, { ...whole, folder, sequence });
          shows.begun(channel, recording, whole);
          return file;
        },
        finish: (file, how) => {
          if (growing.get(channel_id)?.folder === file.folder) growing.delete(channel_id);
          if (how === 'taken' && shared) handOver(channel, file);
          else finish(channel, file);
        },
      });
    },
    growing: (channel_id) => growing.get(channel_id),
    shows,
    adopt: async (name) => {
      try {
        const video = await makeVideo(options, name);
        if (video) options.onVideo(video);
        return video;
      } catch (error) {
        unfinished.add(name, async () => {});
        throw error;
      }
    },
    hasRoom: (account_id) => room.hasRoom() && accounts.hasRoom(account_id),
    hasDiskRoom: () => room.hasRoom(),
    hasRoomFor: (account_id, bytes) => accounts.hasRoomFor(account_id, bytes),
    counts: (account_id, growing) => {
      accounts.begun(account_id, growing);
      return () => accounts.ended(account_id, growing);
    },
    keptRoom: accounts.keptRoom,
    shedCount: () => shedCount,
    handedOver: async () => {
      await Promise.all(handingOver);
    },
    named: (channel_id) => naming.get(channel_id),
    stop: async () => {
      room.stop();
      await Promise.all([unfinished.stop(), retention.stop()]);
    },
  };
}

/**
 * Folders whose push ended with the service: a kill, a power cut, a database that was away. One that a kill left behind
 * when all of it was in the bucket goes.
 */
async function leftOver({ dataDir, store, onStint }: RecordingsOptions): Promise<string[]> {
  const left: string[] = [];
  for (const name of await recordingsIn(dataDir).catch(() => [])) {
    const folder = recordingFolder(dataDir, name);
    const note = await readNote(folder).catch(() => undefined);
    if (await isKnown(store, name)) {
      if (await isInBucket(store, name)) await removeFolder(folder);
    } else if (onStint && note?.stint)
      // Whoever goes on with the push, or ends it, has the rest of it from here.
      onStint({ folder: name, account_id: note.account_id, isLast: false });
    else left.push(name);
  }
  return left;
}

/** Of a folder: their names are in the order of their beginning, and nobody can guess one. */
export function recordingName(now: number): string {
  return `${now.toString(36)}-${randomBytes(8).toString('hex')}`;
}
