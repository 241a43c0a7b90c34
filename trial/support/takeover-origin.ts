// A live stream whose holder dies: real segments by the clock, and then the playlist of whoever takes over, made in one of several ways.
import { targetDurationMs } from '../../src/stream/packaging/segmenter.ts';
import { isWhole, lengthOf, type MadeSegment, makeEpoch, thereAfter } from './takeover-media.ts';
import { takeoverPlaylist } from './takeover-playlist.ts';

/**
 * What becomes of the numbers that the dead one had reserved and nobody has segments of: they are listed as EXT-X-GAP of
 * the target duration, of the usual length of a segment, or of a millisecond; or the list begins anew above them; or
 * they are given out again.
 */
export type Way = 'long gaps' | 'even gaps' | 'tiny gaps' | 'fresh list' | 'numbers again';

export interface TakeoverOrder {
  way: Way;
  /** The new holder followed: it has all that was shown. Else it knows of nothing behind the last segment but two. */
  isFollower: boolean;
  /** Numbers behind the last segment that it knows. */
  reserved: number;
}

/** Who asked for what, when and with what answer. */
export interface Asked {
  at: number;
  who: string;
  file: string;
  status: number;
}

/** So much was there before the first player came, so long players have to settle, so long nobody has the push. */
const historyMs = 14_000;
const settleMs = 8_000;
const awayMs = 4_000;
/** Into its last segment: some parts of it were shown. */
const intoLastMs = 1_050;
const playedMs = 40_000;
/** As the service has it. */
const waitMs = 6_000;
const lookMs = 5;
const firstSequence = 100;
/** No number that has left the list comes again. */
const listedBefore = 6;

export class TakeoverOrigin {
  private readonly order: TakeoverOrder;

  readonly asked: Asked[] = [];
  private readonly startedAt = Date.now() - historyMs;
  private readonly first = makeEpoch(1, { firstSequence, ms: historyMs + 2 * settleMs });
  private readonly lastSequence: number;
  private readonly known: number;
  private readonly second;
  readonly diesAt: number;
  readonly returnsAt: number;
  private readonly server: Bun.Server<undefined>;

  constructor(order: TakeoverOrder) {
    this.order = order;
    const last = this.first.segments.find(({ startMs }) => startMs > historyMs + settleMs);
    if (!last) throw new Error('the clip is too short');
    this.lastSequence = last.sequence;
    this.diesAt = this.startedAt + last.startMs + intoLastMs;
    this.returnsAt = this.diesAt + awayMs;
    this.known = order.isFollower ? last.sequence : last.sequence - 2;
    const next = this.known + (order.way === 'numbers again' ? 0 : order.reserved) + 1;
    this.second = makeEpoch(2, { firstSequence: next, ms: playedMs });
    this.server = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      idleTimeout: 30,
      fetch: (request) => this.fetch(request),
    });
  }

  get url(): string {
    return `http://127.0.0.1:${this.server.port}/live.m3u8`;
  }

  stop(): void {
    this.server.stop(true);
  }

  private async fetch(request: Request): Promise<Response> {
    const at = Date.now();
    const { pathname, search, searchParams } = new URL(request.url);
    const file = pathname.slice(1);
    const { status = 200, body = null } =
      file === 'live.m3u8' ? await this.playlist(searchParams) : await this.piece(file);
    const who = request.headers.get('user-agent') ?? '';
    this.asked.push({ at, who, file: file + search, status });
    const type = file.endsWith('m3u8') ? 'application/vnd.apple.mpegurl' : 'video/mp4';
    const headers = { 'access-control-allow-origin': '*', 'content-type': type };
    return new Response(body, { status, headers });
  }

  /** While nobody has the push it is waited for, as a node waits that is asked for a stream of another. */
  private async playlist(query: URLSearchParams): Promise<Answer> {
    const [sequence, part] = ['_HLS_msn', '_HLS_part'].map((name) => query.get(name));
    const isAlive = await this.until((at) => {
      const last = this.segmentsAt(at).at(-1);
      if (!last || (at >= this.diesAt && last.epoch === 1)) return false;
      if (typeof sequence !== 'string' || last.sequence > Number(sequence)) return true;
      if (last.sequence < Number(sequence)) return false;
      return isWhole(last) || (typeof part === 'string' && last.parts.length > Number(part));
    });
    if (!isAlive) return cut;
    const beganAt = { 1: this.startedAt, 2: this.returnsAt };
    const { partTargetMs } = this.first;
    return { body: takeoverPlaylist(this.segmentsAt(Date.now()), { partTargetMs, beganAt }) };
  }

  private async piece(file: string): Promise<Answer> {
    const init = /^init-([12])\.mp4$/.exec(file)?.[1];
    if (init !== undefined) return { body: (init === '1' ? this.first : this.second).init };
    const [, epoch, sequence, part] = /^([12])-(\d+)(?:\.(\d+))?\.m4s$/.exec(file) ?? [];
    const parts = (at: number) => {
      const found = this.segmentsAt(at).find(
        (one) => one.epoch === Number(epoch) && one.sequence === Number(sequence) && !one.isGap,
      );
      if (part === undefined) return found && isWhole(found) ? found.parts : undefined;
      const one = found?.parts[Number(part)];
      return one && [one];
    };
    // What was hinted at is waited for.
    const last = this.segmentsAt(Date.now()).at(-1);
    const isNext = last?.epoch === Number(epoch) && last.sequence + 1 >= Number(sequence);
    if (part !== undefined && isNext && !(await this.until((at) => parts(at) !== undefined)))
      return cut;
    const found = parts(Date.now());
    return found ? { body: Buffer.concat(found.map(({ bytes }) => bytes)) } : { status: 404 };
  }

  private segmentsAt(at: number): MadeSegment[] {
    const { order, first, second, startedAt, diesAt, returnsAt, known } = this;
    if (at < diesAt) return thereAfter(first, at - startedAt);
    const fresh = thereAfter(second, at - returnsAt);
    if (order.way === 'fresh list') return fresh;
    const kept = thereAfter(first, diesAt - startedAt)
      .filter(({ sequence }) => sequence <= known && sequence > this.lastSequence - listedBefore)
      // A follower ends the last where it was cut.
      .map((segment) => ({ ...segment, durationMs: lengthOf(segment.parts) }));
    const gaps = Array.from(
      { length: order.way === 'numbers again' ? 0 : order.reserved },
      (_, n) => ({
        ...{ epoch: 1 as const, sequence: known + 1 + n, startMs: 0, parts: [] },
        ...{ durationMs: gapMs[order.way] ?? 1, isGap: true },
      }),
    );
    return [...kept, ...gaps, ...fresh];
  }

  /** False where the node died that it waited at; true when it is there, or was waited for long enough. */
  private async until(isThere: (at: number) => boolean): Promise<boolean> {
    const since = Date.now();
    while (!isThere(Date.now())) {
      if (since < this.diesAt && Date.now() >= this.diesAt) return false;
      if (Date.now() - since > waitMs) return true;
      await Bun.sleep(lookMs);
    }
    return true;
  }
}

interface Answer {
  status?: number;
  body?: string | Uint8Array<ArrayBuffer>;
}

/** By the balancer, as its node is gone. */
const cut: Answer = { status: 502 };

/** The clip's segments are two seconds long. */
const gapMs: Partial<Record<Way, number>> = { 'long gaps': targetDurationMs, 'even gaps': 2_000 };
