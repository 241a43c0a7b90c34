// Recordings that several nodes have a stint of: when their push is over, any node makes each a video of what is named.
import { access } from 'node:fs/promises';
import type { Store } from '../../base/db/sql.ts';
import type { Log } from '../../base/lib/log.ts';
import type { Zone } from '../../base/lib/time.ts';
import type { Links } from '../../base/links/links.ts';
import type { Nodes } from '../../base/nodes/membership.ts';
import type { Bucket } from '../../base/objects/bucket.ts';
import { JoinedWork } from '../../base/turns/joined-work.ts';
import { inTurns } from '../../base/turns/turn-slice.ts';
import { newKeyStart } from './bucket-files.ts';
import { type MadeVideo, orderOf, pushMsMin } from './make-video.ts';
import { namedIndex, namedSegments } from './named-source.ts';
import type { RecordedObject } from './recorded-object-store.ts';
import { recordingFolder, sourceFile, sourceIndex, stintFolderName } from './recording-folder.ts';
import { segmentsIn } from './recording-index.ts';
import type { NamedSegment } from './segment-store.ts';
import { type EndedStint, endedStints, sealShared } from './shared-recording-store.ts';
import { endStint } from './stint-store.ts';
import { tagOf } from './stored-recording.ts';

export interface SharedRecordingsOptions {
  dataDir: string;
  store: Store;
  bucket: Pick<Bucket, 'put'>;
  nodes: Pick<Nodes, 'node' | 'others' | 'silentMs'>;
  links: Pick<Links, 'linked'>;
  zone: Zone;
  now: () => number;
  monotonicMs: () => number;
  log: Log;
  onVideo(video: MadeVideo): void;
  everyMs?: number;
}

const lookEveryMs = 1_000;
/** Stints that are looked at in a round. */
const stintsAtOnce = 1_000;
/** Whose node was not heard of for so long carries nothing: it may be started anew within this. */
const goneMs = 15_000;
/** A node that is there and does not get on with its stint is waited for no longer. */
const waitedMs = 3_600_000;
/** After a failure, such as of the bucket, a recording rests for so long. */
const restMs = 10_000;
/** The last holder makes the video; each other node so much later, should it not. */
const stepBackMs = 5_000;

export class SharedRecordings {
  private readonly options: SharedRecordingsOptions;

  private readonly looking = new JoinedWork(() => this.round());
  /** By recording: since when it is known to be over. */
  private seenMs = new Map<string, number>();
  /** By recording: when it is tried again. */
  private readonly restUntilMs = new Map<string, number>();
  private readonly timer: ReturnType<typeof setInterval>;
  private readonly stopping = new AbortController();

  constructor(options: SharedRecordingsOptions) {
    this.options = options;
    this.timer = setInterval(() => this.look(), options.everyMs ?? lookEveryMs);
  }

  /** It does so every second by itself. */
  look(): void {
    if (!this.stopping.signal.aborted) void this.looking.run();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    clearInterval(this.timer);
    await this.looking.settled();
  }

  private async round(): Promise<void> {
    const { store, log } = this.options;
    try {
      const stints = await store.perform(endedStints, { limit: stintsAtOnce });
      const recordings = [...Map.groupBy(stints, ({ recording }) => recording).values()];
      // The last may have more than were read.
      if (stints.length === stintsAtOnce) recordings.pop();
      this.seenMs = this.seenNow(recordings);
      for (const recording of this.restUntilMs.keys())
        if (!this.seenMs.has(recording)) this.restUntilMs.delete(recording);
      await this.endLost(stints);
      for (const recording of recordings) await this.tried(recording);
    } catch (error) {
      log.debug('it is unknown what nodes have recorded together', { error });
    }
  }

  /** Of what lay on another disk of this node nothing comes any more; the others cannot see that, and wait for it. */
  private async endLost(stints: readonly EndedStint[]): Promise<void> {
    const { nodes, store } = this.options;
    for (const stint of stints) {
      if (stint.carried === 1 || stint.node !== nodes.node || (await this.isOnDisk(stint)))
        continue;
      const { recording, epoch } = stint;
      await store.perform(endStint, { recording, epoch, isLast: false });
      stint.carried = 1;
    }
  }

  private async tried(stints: readonly EndedStint[]): Promise<void> {
    const { monotonicMs, log } = this.options;
    const { recording = '' } = stints[0] ?? {};
    if (this.stopping.signal.aborted || monotonicMs() < (this.restUntilMs.get(recording) ?? 0))
      return;
    this.restUntilMs.delete(recording);
    try {
      if (await this.isReady(stints)) await this.make(stints);
    } catch (error) {
      if (this.stopping.signal.aborted) return;
      log.warn('what nodes have recorded together is no video yet', { recording, error });
      this.restUntilMs.set(recording, monotonicMs() + restMs);
    }
  }

  private seenNow(recordings: readonly EndedStint[][]): Map<string, number> {
    const now = this.options.monotonicMs();
    const names = recordings.flatMap(([first]) => (first ? [first.recording] : []));
    return new Map(names.map((name) => [name, this.seenMs.get(name) ?? now]));
  }

  /** Whether all is named that will be, and it is this node's turn. */
  private async isReady(stints: readonly EndedStint[]): Promise<boolean> {
    const { monotonicMs } = this.options;
    const last = stints.at(-1);
    if (!last) return false;
    const overMs = monotonicMs() - (this.seenMs.get(last.recording) ?? monotonicMs());
    for (const stint of stints)
      if (stint.carried === 0 && overMs < waitedMs && !this.isGone(stint)) return false;
    return overMs >= stepBackMs * this.turnOf(last.node);
  }

  /** Nobody carries what is left of it: its node is away. */
  private isGone({ node }: EndedStint): boolean {
    const { nodes, links } = this.options;
    if (node === nodes.node) return false;
    return nodes.silentMs(node) >= goneMs && !links.linked.includes(node);
  }

  private async isOnDisk(stint: EndedStint): Promise<boolean> {
    const folders = [true, false].map((goesOn) =>
      recordingFolder(this.options.dataDir, stintFolderName(stint, goesOn)),
    );
    const lies = await Promise.all(folders.map((folder) => isThere(folder)));
    return lies.includes(true);
  }

  private turnOf(holder: string): number {
    const { nodes } = this.options;
    const others = nodes.others().map(({ node }) => node);
    const order = [...others, nodes.node].toSorted();
    if (nodes.node === holder) return 0;
    const turn = order.filter((node) => node !== holder).indexOf(nodes.node);
    return order.includes(holder) ? turn + 1 : turn;
  }

  private async make(stints: readonly EndedStint[]): Promise<void> {
    const { store, bucket, zone, now, log, onVideo } = this.options;
    const [stint] = stints;
    if (!stint) return;
    const { recording, channel_id, account_id, pushed_ms, show_at } = stint;
    const named = await namedSegments(store, recording);
    const text = namedIndex(named);
    const segments = await inTurns(segmentsIn(text));
    const durationMs = segments.reduce((sum, segment) => sum + segment.durationMs, 0);
    const isLong = segments.length > 0 && pushed_ms + durationMs >= pushMsMin;
    const put = (key: string, bytes: Uint8Array<ArrayBuffer>) =>
      bucket.put(key, bytes, this.stopping.signal);
    const objects = isLong ? await putIndex(put, { recording, text, named, at: now() }) : [];
    const made = await store.perform(sealShared, {
      stint,
      segments: named.length,
      objects,
      video: isLong
        ? {
            ...orderOf(segments, { durationMs, zone }),
            ...{ recording, channel_id, account_id, show_at, now: now() },
            show_ms: show_at === null ? null : pushed_ms,
            video_size: named.reduce((sum, { size }) => sum + size, 0),
          }
        : undefined,
    });
    if (typeof made !== 'number') return;
    log.info('a push that several nodes have had has become a video', {
      channel_id,
      video_id: made,
    });
    onVideo({ video_id: made, channel_id, isOfPush: true });
  }
}

/** The source is the segments that the index names. */
async function putIndex(
  put: (key: string, bytes: Uint8Array<ArrayBuffer>) => Promise<void>,
  given: { recording: string; text: string; named: readonly NamedSegment[]; at: number },
): Promise<RecordedObject[]> {
  const { recording, text, named, at } = given;
  const size = named.reduce((sum, one) => sum + one.size, 0);
  const bytes = new Uint8Array(Buffer.from(text, 'latin1'));
  const key = `${newKeyStart(recording)}0-${sourceIndex}`;
  await put(key, bytes);
  const tag = tagOf({ size, mtimeMs: at });
  return [
    { file: sourceIndex, at: 0, key, size: bytes.length, tag },
    { file: sourceFile, at: 0, key, size, tag },
  ];
}

async function isThere(path: string): Promise<boolean> {
  return await access(path).then(
    () => true,
    () => false,
  );
}
