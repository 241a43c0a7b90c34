// Clips: the segments of a stretch found, copied and made a video, also while the show is on; a few at once.
import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ApiError, busy, unavailable } from '../../base/api/errors.ts';
import type { Store } from '../../base/db/sql.ts';
import { ofAccount } from '../../base/db/whose.ts';
import type { Zone } from '../../base/lib/time.ts';
import { FairPlaces } from '../../base/turns/fair-places.ts';
import { inTurns } from '../../base/turns/turn-slice.ts';
import { anyNode } from '../../library/jobs/job.ts';
import { hasRoomFor } from '../recording/disk-room.ts';
import {
  makeRecordingsFolder,
  orNothing,
  recordingFolder,
  removeFolder,
  sourceIndex,
} from '../recording/recording-folder.ts';
import { segmentsIn } from '../recording/recording-index.ts';
import type { RecordingStorage } from '../recording/recording-storage.ts';
import { type Recordings, recordingName } from '../recording/recordings.ts';
import { type StoredRecording, storedInFolder } from '../recording/stored-recording.ts';
import { type ChosenClip, type ClipSource, chooseSegments, lastOf, type Stretch } from './clip.ts';
import { copyClip } from './clip-copy.ts';
import { clipLimits } from './clip-limits.ts';
import {
  type CutRecording,
  recordingOfVideo,
  recordingsOfShow,
  type WhereItLies,
} from './clip-store.ts';

/** What a clip is cut from: the show that is on, up to now; or a stretch of a show or of a video. */
export type ClipOf =
  | { lastMs: number }
  | ({ show: number } & Stretch)
  | ({ video_id: number } & Stretch);

export interface ClipOrder {
  channel: { id: number; account_id: number; name: string };
  of: ClipOf;
  /** Undefined: by the channel's and when it was. */
  name: string | undefined;
}

/** The video, and what was really taken of what is asked for. */
export interface MadeClip extends Stretch {
  video_id: number;
}

export interface ClipsOptions {
  dataDir: string;
  node: string;
  store: Store;
  zone: Zone;
  freeBytesMin: number;
  storage: RecordingStorage;
  recordings: Pick<Recordings, 'growing' | 'adopt' | 'hasRoom' | 'hasRoomFor' | 'counts'>;
  now: () => number;
}

export interface Clips {
  make(order: ClipOrder): Promise<MadeClip>;
}

export async function startClips(options: ClipsOptions): Promise<Clips> {
  const root = join(options.dataDir, 'clips');
  // Whoever was making one was killed, and nobody has been told of it.
  await removeFolder(root);
  await mkdir(root, { recursive: true, mode: 0o700 });
  const maker = new ClipMaker(options, root);
  return { make: (order) => maker.make(order) };
}

/** What a clip will take. */
interface AskedRoom {
  account_id: number;
  bytes: number;
}

class ClipMaker {
  private readonly options: ClipsOptions;
  private readonly root: string;

  private readonly places = new FairPlaces({ placesMax: clipLimits.atOnce });
  /** Of which it is being looked whether there is room: a push that is on is not measured against them. */
  private readonly asked = new Set<AskedRoom>();

  constructor(options: ClipsOptions, root: string) {
    this.options = options;
    this.root = root;
  }

  async make(order: ClipOrder): Promise<MadeClip> {
    const asker = { whose: `account ${order.channel.account_id}` };
    const made = await this.places.run(asker, async () => await this.cut(order));
    if (!made) throw busy('Too many clips are being made');
    return made;
  }

  private async cut(order: ClipOrder): Promise<MadeClip> {
    const { recordings } = this.options;
    const { account_id } = order.channel;
    const clip = await this.choose(order.channel, order.of);
    const asked = { account_id, bytes: clip.bytes };
    this.asked.add(asked);
    try {
      await this.checkRoom(asked);
    } catch (error) {
      this.asked.delete(asked);
      throw error;
    }
    // At once, not when somebody next looks: many clips are cut in a second.
    const taken = { bytes: clip.bytes };
    const release = recordings.counts(account_id, taken);
    this.asked.delete(asked);
    try {
      const recording = await this.copy(order, clip).catch((error) => {
        taken.bytes = 0;
        throw unavailable('The clip could not be written', error);
      });
      const video = await recordings.adopt(recording);
      if (!video) throw new ApiError('noChannel');
      return { video_id: video.video_id, fromMs: clip.fromMs, toMs: clip.toMs };
    } finally {
      release();
    }
  }

  /** The name of the recording that it lies in then. */
  private async copy({ channel, name }: ClipOrder, clip: ChosenClip): Promise<string> {
    const { dataDir, zone, now } = this.options;
    const startsAt = clip.segments[0]?.startsAt ?? now();
    const note = {
      channel_id: channel.id,
      account_id: channel.account_id,
      name: name ?? `${channel.name} ${zone.dateMinute(startsAt)}`,
      asked: 'clip' as const,
    };
    const making = join(this.root, randomBytes(8).toString('hex'));
    const recording = recordingName(now());
    const folder = recordingFolder(dataDir, recording);
    await makeRecordingsFolder(dataDir);
    try {
      await copyClip({ segments: clip.segments, note, making, folder });
    } catch (error) {
      await removeFolder(making);
      throw error;
    }
    return recording;
  }

  private async choose(channel: ClipOrder['channel'], of: ClipOf): Promise<ChosenClip> {
    const sources = await this.sourcesOf(channel, of);
    const clip = chooseSegments(sources, 'lastMs' in of ? lastOf(sources, of.lastMs) : of);
    if (!clip) throw new ApiError('nothingToCut');
    return clip;
  }

  private async sourcesOf(channel: ClipOrder['channel'], of: ClipOf): Promise<ClipSource[]> {
    const { store, recordings } = this.options;
    const growing = recordings.growing(channel.id);
    if ('lastMs' in of) {
      if (!growing) throw new ApiError('notRecorded');
      return await this.read([
        { recording: storedInFolder(growing.folder), startMs: growing.pushed_ms ?? 0 },
      ]);
    }
    if ('video_id' in of) {
      const asked = { id: of.video_id, channel_id: channel.id };
      const found = await recordingOfVideo(store.for(ofAccount(channel)), asked);
      if (!found) throw new ApiError('noVideo');
      return await this.read([{ recording: this.placeOf(found), startMs: 0 }]);
    }
    const { account_id, id: channel_id } = channel;
    const show = await store.perform(recordingsOfShow, { account_id, channel_id, show: of.show });
    if (!show) throw new ApiError('noShow');
    const ended = show.recordings
      .filter((one) => this.liesHere(one) || mayHold(one, of))
      .map((one) => ({ recording: this.placeOf(one), startMs: one.show_ms }));
    const isOn = growing?.show_at === show.begin_at;
    const now = isOn
      ? [{ recording: storedInFolder(growing.folder), startMs: growing.pushed_ms ?? 0 }]
      : [];
    return await this.read([...ended, ...now]);
  }

  /** A recording on a disk can be cut where it lies. */
  private placeOf(one: WhereItLies): StoredRecording {
    if (!this.liesHere(one))
      throw unavailable('The recording lies at another service; ask that one');
    return this.options.storage.of(one);
  }

  private liesHere({ recording_node }: WhereItLies): boolean {
    return recording_node === this.options.node || recording_node === anyNode;
  }

  private async read(places: readonly Omit<ClipSource, 'segments'>[]): Promise<ClipSource[]> {
    const sources: ClipSource[] = [];
    for (const place of places) {
      const text = (await orNothing(place.recording.text(sourceIndex))) ?? '';
      sources.push({ ...place, segments: await inTurns(segmentsIn(text)) });
    }
    return sources;
  }

  /** As for recordings: the clip, and the MP4 that is made of it. */
  private async checkRoom({ account_id, bytes }: AskedRoom): Promise<void> {
    const { dataDir, freeBytesMin, recordings } = this.options;
    let accountBytes = 0;
    for (const one of this.asked) if (one.account_id === account_id) accountBytes += one.bytes;
    if (!recordings.hasRoom(account_id) || !(await recordings.hasRoomFor(account_id, accountBytes)))
      throw new ApiError('noRoom');
    if (!(await hasRoomFor(dataDir, 2 * bytes + freeBytesMin)))
      throw unavailable('The disk has too little room for it');
  }
}

/** A length is known to a second: by so much it may be longer. */
const roundedMs = 500;

/** Whether a recording may hold something of the stretch. */
function mayHold({ show_ms, duration }: CutRecording, { fromMs, toMs }: Stretch): boolean {
  return show_ms < toMs && show_ms + duration * 1_000 + roundedMs > fromMs;
}
