// Streams of other nodes that RTMP players of this one play: each comes once, however many play it, until a while after the last.
import { MemoryPool } from '../../base/bytes/memory.ts';
import type { Sql, Store } from '../../base/db/sql.ts';
import type { Log } from '../../base/lib/log.ts';
import type { Links } from '../../base/links/links.ts';
import { LiveStream, type Publication } from '../live/live-stream.ts';
import type { StreamPlace } from '../live/push-holder-store.ts';
import { soleLease } from '../live/push-lease.ts';
import { boundlessRates } from '../live/push-limits.ts';
import type { PushesMemory } from '../live/push-memory.ts';
import { PushCut, PushMeter } from '../live/push-meter.ts';
import { followHolders, idleLookMs, idleMs } from './followed-holders.ts';
import { packetsTopic, type RelayHead, readRelayed } from './relayed-packets.ts';
import type { StreamPlaces } from './stream-places.ts';

export interface RelaysOptions {
  store: Store;
  links: Pick<Links, 'follow' | 'isAlone' | 'node'>;
  places: StreamPlaces;
  memory: PushesMemory;
  /** What this node has on air itself. */
  ownStream(playId: string): LiveStream | undefined;
  isPlayed(stream: LiveStream): boolean;
  /** Who plays the one plays the other from now on. */
  move(from: LiveStream, to: LiveStream): void;
  now: () => number;
  monotonicMs: () => number;
  log: Log;
}

interface Relay {
  readonly stream: LiveStream;
  readonly publication: Publication;
  /** The push and the holder that it has come from. */
  line: string | undefined;
  playedMs: number;
  /** Ends what comes over the link now. */
  leave: () => void;
  isOver: boolean;
}

export class Relays {
  private readonly options: RelaysOptions;

  /** By play address. */
  private readonly relays = new Map<string, Relay>();
  private readonly pool = new MemoryPool();
  /** There is one while something comes: a start that fails, or a service that is alone, has none. */
  private timer: ReturnType<typeof setInterval> | undefined;
  private isStopped = false;

  constructor(options: RelaysOptions) {
    this.options = options;
  }

  /** Streams of other nodes that come for players here. */
  get count(): number {
    return this.relays.size;
  }

  /** What is played at an address, this node's own or another's; undefined where nothing is on air there. */
  async find(playId: string, address: string): Promise<LiveStream | undefined> {
    const { links, ownStream, places } = this.options;
    const known = ownStream(playId) ?? this.relays.get(playId)?.stream;
    if (known || links.isAlone) return known;
    const place = await places.find(playId, address);
    if (place && place.node !== links.node)
      return ownStream(playId) ?? this.open(playId, place, place)?.stream;
    return ownStream(playId);
  }

  /** Another node goes on with a push of this one, whose players go on with it. */
  goOn({ channel }: LiveStream): LiveStream | undefined {
    const { id: channel_id, account_id, play_id } = channel;
    return this.open(play_id, { channel_id, account_id })?.stream;
  }

  /** The stream is this node's own from now on. */
  own(stream: LiveStream): void {
    const { play_id } = stream.channel;
    const relay = this.relays.get(play_id);
    if (!relay) return;
    // Of another push the end has only not been heard of yet.
    if (stream.lease.before) this.options.move(relay.stream, stream);
    this.end(play_id);
  }

  stop(): void {
    this.isStopped = true;
    for (const playId of [...this.relays.keys()]) this.end(playId);
  }

  private open(
    playId: string,
    whose: Pick<StreamPlace, 'channel_id' | 'account_id'>,
    place?: StreamPlace,
  ): Relay | undefined {
    const { memory, now, monotonicMs, log } = this.options;
    const known = this.relays.get(playId);
    if (known || this.isStopped) return known;
    const { channel_id: id, account_id } = whose;
    const refusal = memory.refusal(account_id);
    if (refusal) {
      log.warn('a stream of another node is not played: memory is short', { refusal });
      return undefined;
    }
    const { pool } = this;
    const meter = new PushMeter({ rates: boundlessRates, memory, monotonicMs }, { id, account_id });
    // Nobody publishes to it here, so it needs no key.
    const channel = {
      ...{ id, account_id, stream_key: '', play_id: playId },
      ...{ auto_save_live_video: 0, live_ladder: 0 },
    };
    const stream = new LiveStream(channel, now(), { pool, meter, lease: soleLease(id) });
    const publication = stream.publication({
      isHeld: () => !relay.isOver,
      onMedia: () => {},
      onEnd: () => {},
    });
    const relay: Relay = {
      ...{ stream, publication, line: undefined, isOver: false },
      playedMs: monotonicMs(),
      leave: () => {},
    };
    meter.onGivenUp = () => this.end(playId);
    this.relays.set(playId, relay);
    this.timer ??= setInterval(() => this.letGoOfIdle(), idleLookMs);
    void this.run(playId, relay, place);
    return relay;
  }

  private async run(playId: string, relay: Relay, first: StreamPlace | undefined): Promise<void> {
    const { links, store, log } = this.options;
    const sql: Sql = store;
    await followHolders({
      ...{ links, store: sql, log, playId, first, topic: packetsTopic },
      asked: () => ({ playId, after: relay.line }),
      part: (bytes) => {
        this.take(playId, relay, bytes);
        return true;
      },
      onFollowed: (leave) => {
        relay.leave = leave ?? (() => {});
      },
      isOver: () => relay.isOver,
    });
    if (!relay.isOver) this.end(playId);
  }

  private take(playId: string, relay: Relay, bytes: Uint8Array): void {
    try {
      const { head, packets } = readRelayed(bytes);
      if (head.kind === 'end' && head.how === 'over') this.end(playId);
      this.takeHead(relay, head);
      for (const { kind, dtsMs: timestamp, ptsMs, isKey, bytes: media } of packets)
        if (kind === 'audio') relay.publication.sound({ timestamp, bytes: media });
        else {
          const compositionMs = ptsMs - timestamp;
          relay.publication.picture({ timestamp, compositionMs, isKey, bytes: media });
        }
    } catch (error) {
      this.end(playId);
      if (!(error instanceof PushCut)) throw error;
      this.options.log.warn('a stream of another node is played no more', { error });
    }
  }

  private takeHead(relay: Relay, head: RelayHead): void {
    const { stream, publication } = relay;
    if (head.kind === 'begin') {
      // Another holder's packets are on another timeline.
      if (relay.line !== undefined && relay.line !== head.line) stream.resume();
      relay.line = head.line;
    } else if (head.kind === 'packets') {
      if (head.isResumed) stream.resume();
      if (!head.described) return;
      publication.describe(head.described.words);
      for (const track of head.described.tracks) publication.track(track);
    }
  }

  private letGoOfIdle(): void {
    const { monotonicMs, isPlayed } = this.options;
    for (const [playId, relay] of this.relays)
      if (isPlayed(relay.stream)) relay.playedMs = monotonicMs();
      else if (monotonicMs() - relay.playedMs >= idleMs) this.end(playId);
  }

  /** Whoever still plays it is told that it is over. */
  private end(playId: string): void {
    const relay = this.relays.get(playId);
    if (!relay) return;
    this.relays.delete(playId);
    if (this.relays.size === 0) {
      clearInterval(this.timer);
      this.timer = undefined;
    }
    relay.isOver = true;
    relay.leave();
    relay.stream.end('over');
  }
}
