// Where the segments are that a clip may be cut from: recordings that are videos, and the one that grows.
import { ApiError, unavailable } from '../../base/api/errors.ts';
import type { Store } from '../../base/db/sql.ts';
import { ofAccount } from '../../base/db/whose.ts';
import { inTurns } from '../../base/turns/turn-slice.ts';
import { readAdmission } from '../../library/admission/admission.ts';
import { anyNode } from '../../library/jobs/job.ts';
import type { HeldChannel, PushHolders } from '../live/push-holders.ts';
import type { BeforeStint } from '../recording/named-source.ts';
import { orNothing, sourceIndex } from '../recording/recording-folder.ts';
import { segmentsIn } from '../recording/recording-index.ts';
import type { RecordingStorage } from '../recording/recording-storage.ts';
import type { GrowingRecording, Recordings } from '../recording/recordings.ts';
import { type KeptPlace, storedInFolder } from '../recording/stored-recording.ts';
import type { ClipOf, ClipSource, Stretch } from './clip.ts';
import {
  type CutRecording,
  type CutVideo,
  recordingOfVideo,
  recordingsOfShow,
} from './clip-store.ts';

export interface ClipSourcesOptions {
  node: string;
  store: Store;
  storage: RecordingStorage;
  recordings: Pick<Recordings, 'growing'>;
  /** Who else may have a push; absent where a service is alone. */
  holders?: Pick<PushHolders, 'find'>;
  /** What other nodes have recorded of a push that is on here, as far as it is named; absent where nodes share none. */
  beforeStint?: BeforeStint | undefined;
}

/** All that is asked for lies on the disk of another node, which can cut it. */
export class LiesElsewhere extends ApiError {
  readonly node: string;

  constructor(node: string) {
    super('unavailable', {
      message: 'The recording lies at another service, which cannot be asked now',
      headers: { 'Retry-After': '2' },
    });
    this.node = node;
  }
}

type Place = Omit<ClipSource, 'segments'>;

export class ClipSources {
  private readonly options: ClipSourcesOptions;

  constructor(options: ClipSourcesOptions) {
    this.options = options;
  }

  /** In the order of their media. */
  async of(channel: HeldChannel, of: ClipOf): Promise<ClipSource[]> {
    if ('lastMs' in of) return await this.ofLast(channel);
    if ('video_id' in of) return await this.ofVideo(channel, of.video_id);
    return await this.ofShow(channel, of);
  }

  private async ofLast(channel: HeldChannel): Promise<ClipSource[]> {
    const growing = this.options.recordings.growing(channel.id);
    if (growing) return await this.growingSources(growing);
    const holder = await this.holderElsewhere(channel);
    throw holder === undefined ? new ApiError('notRecorded') : new LiesElsewhere(holder);
  }

  private async ofVideo(channel: HeldChannel, id: number): Promise<ClipSource[]> {
    const { store, storage } = this.options;
    const asked = { id, channel_id: channel.id };
    const found = await recordingOfVideo(store.for(ofAccount(channel)), asked);
    if (!found) throw new ApiError('noVideo');
    if (!this.isReadHere(found)) throw new LiesElsewhere(found.recording_node);
    return await this.read([{ ...videoOf(found), recording: storage.of(found), startMs: 0 }]);
  }

  private async ofShow(
    channel: HeldChannel,
    of: { show: number } & Stretch,
  ): Promise<ClipSource[]> {
    const { store, storage, recordings } = this.options;
    const { account_id, id: channel_id } = channel;
    const show = await store.perform(recordingsOfShow, { account_id, channel_id, show: of.show });
    if (!show) throw new ApiError('noShow');
    const growing = recordings.growing(channel_id);
    const ownOn = growing?.show_at === show.begin_at ? growing : undefined;
    const held = show.recordings.filter((one) => mayHold(one, of));
    const nodes = new Set(
      storage.readsOthers ? [] : held.map(({ recording_node }) => recording_node),
    );
    // What is not in a video yet is with who has the push.
    const isBehind = show.end_at === null && show.recordings.every((one) => endOf(one) < of.toMs);
    const holder = isBehind && !ownOn ? await this.holderElsewhere(channel) : undefined;
    if (holder !== undefined) nodes.add(holder);
    if (isBehind && ownOn) nodes.add(this.options.node);
    this.checkNodes(nodes);
    const ended = show.recordings
      .filter((one) => this.liesHere(one) || (this.isReadHere(one) && held.includes(one)))
      .map((one) => ({ ...videoOf(one), recording: storage.of(one), startMs: one.show_ms }));
    const now = ownOn ? await this.growingSources(ownOn) : [];
    return [...(await this.read(ended)), ...now];
  }

  /** What can be read here can be cut by whoever has the rest. */
  private checkNodes(nodes: ReadonlySet<string>): void {
    const [node, ...more] = [...nodes].filter((one) => one !== anyNode);
    if (more.length > 0) throw unavailable('The stretch lies at several services: cut it in parts');
    if (node !== undefined && node !== this.options.node) throw new LiesElsewhere(node);
  }

  private async holderElsewhere(channel: HeldChannel): Promise<string | undefined> {
    const holder = await this.options.holders?.find(channel);
    return holder?.node === this.options.node ? undefined : holder?.node;
  }

  /** The folder that grows here, behind what other nodes have recorded of the same push. */
  private async growingSources(growing: GrowingRecording): Promise<ClipSource[]> {
    const { folder, stint, pushed_ms = 0 } = growing;
    const named = stint && (await this.options.beforeStint?.(stint));
    const before = named
      ? await this.read([{ recording: named.recording, startMs: named.pushedMs }])
      : [];
    const startMs = Math.max(pushed_ms, ...before.map(endOfSource));
    return [...before, ...(await this.read([{ recording: storedInFolder(folder), startMs }]))];
  }

  /** On this disk, in the bucket, or on the disk of a node that can be asked. */
  private isReadHere(one: KeptPlace): boolean {
    return this.liesHere(one) || this.options.storage.readsOthers;
  }

  private liesHere({ recording_node }: KeptPlace): boolean {
    return recording_node === this.options.node || recording_node === anyNode;
  }

  private async read(places: readonly Place[]): Promise<ClipSource[]> {
    const sources: ClipSource[] = [];
    for (const place of places) {
      const text = (await orNothing(place.recording.text(sourceIndex))) ?? '';
      sources.push({ ...place, segments: await inTurns(segmentsIn(text)) });
    }
    return sources;
  }
}

/** What is kept from somebody as a whole is kept from them in pieces. */
function videoOf({ id, access }: CutVideo): Pick<Place, 'video_id' | 'isGuarded'> {
  return { video_id: id, isGuarded: readAdmission(access).kind !== 'open' };
}

/** A length is known to a second: by so much it may be longer. */
const roundedMs = 500;

/** Whether a recording may hold something of the stretch. */
function mayHold(one: CutRecording, { fromMs, toMs }: Stretch): boolean {
  return one.show_ms < toMs && endOf(one) > fromMs;
}

function endOf({ show_ms, duration }: CutRecording): number {
  return show_ms + duration * 1_000 + roundedMs;
}

function endOfSource({ startMs, segments }: ClipSource): number {
  return segments.reduce((sum, { durationMs }) => sum + durationMs, startMs);
}
