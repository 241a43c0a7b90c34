// Clips: the segments of a stretch found, copied and made a video, also while the show is on; a few at once.
import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ApiError, busy, unavailable } from '../../base/api/errors.ts';
import type { Zone } from '../../base/lib/time.ts';
import { FairPlaces } from '../../base/turns/fair-places.ts';
import { SteppedWork } from '../../base/turns/stepped-work.ts';
import { type CutCaptions, cutCaptions } from '../../library/captions/captions-cut.ts';
import { captionsLimits } from '../../library/captions/captions-limits.ts';
import { type KeptCaptions, keptCaptionsOf } from '../../library/captions/captions-store.ts';
import { hasRoomFor } from '../recording/disk-room.ts';
import {
  makeRecordingsFolder,
  recordingFolder,
  removeFolder,
} from '../recording/recording-folder.ts';
import { type Recordings, recordingName } from '../recording/recordings.ts';
import {
  type ChosenClip,
  type ClipOf,
  type ClipOrder,
  chooseSegments,
  lastOf,
  type MadeClip,
} from './clip.ts';
import { copyClip } from './clip-copy.ts';
import { clipLimits } from './clip-limits.ts';
import { ClipSources, type ClipSourcesOptions } from './clip-sources.ts';

export interface ClipsOptions extends ClipSourcesOptions {
  dataDir: string;
  zone: Zone;
  freeBytesMin: number;
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
  private readonly sources: ClipSources;

  private readonly reading = new SteppedWork({ turnMs: captionsLimits.turnMs });
  private readonly places = new FairPlaces({ placesMax: clipLimits.atOnce });
  /** Of which it is being looked whether there is room: a push that is on is not measured against them. */
  private readonly asked = new Set<AskedRoom>();

  constructor(options: ClipsOptions, root: string) {
    this.options = options;
    this.root = root;
    this.sources = new ClipSources(options);
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
    const captions = await this.captionsOf(channel.account_id, clip);
    const note = {
      channel_id: channel.id,
      account_id: channel.account_id,
      name: name ?? `${channel.name} ${zone.dateMinute(startsAt)}`,
      asked: 'clip' as const,
      ...(clip.guarded !== undefined && { guarded: clip.guarded }),
      ...(captions.length > 0 && { captions }),
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

  /** What is said in it, in each language in which what it is cut from has captions. */
  private async captionsOf(account_id: number, { stretches }: ChosenClip): Promise<KeptCaptions[]> {
    const cuts: CutCaptions[] = [];
    for (const stretch of stretches) {
      const asked = { account_id, video_id: stretch.video_id };
      for (const captions of await this.options.store.perform(keptCaptionsOf, asked))
        cuts.push({ captions, stretch });
    }
    return cuts.length === 0 ? [] : await this.reading.run(cutCaptions(cuts));
  }

  private async choose(channel: ClipOrder['channel'], of: ClipOf): Promise<ChosenClip> {
    const sources = await this.sources.of(channel, of);
    const clip = chooseSegments(sources, 'lastMs' in of ? lastOf(sources, of.lastMs) : of);
    if (!clip) throw new ApiError('nothingToCut');
    return clip;
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
