// Viewers who notice every gap: one fetches the parts of a live playlist, one plays over RTMP, both with a watch in hand.
import { readVideoTag } from '../../src/stream/formats/flv.ts';
import { playFrom } from '../../src/stream/rtmp/rtmp-client.ts';
import { late } from '../../test/support/machine-pace.ts';
import type { ListedPart, MediaPlaylist } from '../../test/support/media-playlist.ts';
import { PlaylistChecker } from '../../test/support/playlist-checker.ts';
import { nextPartQuery } from '../../test/support/playlist-player.ts';
import { ownCertificate } from '../../test/support/rude/http-connection.ts';
import type { MachineLag } from './machine-lag.ts';

export interface SteadyViewer {
  /** Parts, or messages over RTMP, that have come. */
  readonly received: number;
  /** The longest that nothing came, since the first did. */
  readonly worstGapMs: number;
  /** What was wrong in what came. */
  readonly problems: readonly string[];
  /** From now on the longest wait is counted anew. */
  countAnew(): void;
  stop(): Promise<void>;
}

/** Parts come every 200 ms, and RTMP messages every 20. */
const gapMsMax = 1_000;

/** What was wrong with what viewers got, gaps included; those that the machine made are nobody's fault. */
export function viewerProblems(viewers: readonly SteadyViewer[], lag: MachineLag): string[] {
  const allowedMs = gapMsMax + lag.worstMs;
  const tooLate = viewers
    .map(({ worstGapMs }) => Math.round(worstGapMs))
    .flatMap((gapMs) =>
      late(`what a viewer got next (at a lag of ${lag.worstMs} ms)`, gapMs, allowedMs),
    );
  return [...viewers.flatMap(({ problems }) => problems), ...tooLate];
}

/** Parts leave the playlist no sooner: whoever misses one and was there meanwhile was not told of it. */
const partsListedMs = 2_000;
/** Nothing to play yet: it asks again after this. */
const againMs = 30;

/** Every part in its order, each fetched when the playlist first names it. */
export function startHlsViewer(playlistUrl: string): SteadyViewer {
  const watch = new Watch();
  const checker = new PlaylistChecker(watch.problems);
  const stopping = new AbortController();
  const { signal } = stopping;
  const asked = { signal, tls: ownCertificate };
  let next: { sequence: number; part: number } | undefined;
  /** When the last playlist was asked for: on a busy machine it may be old when it is read. */
  let listedAt = performance.now();
  const missed = (what: string): string[] => {
    const sinceMs = performance.now() - listedAt;
    if (sinceMs <= partsListedMs) return [what];
    return late(`${what}: what came after the playlist`, sinceMs, partsListedMs);
  };
  const fetchPart = async ({ uri }: ListedPart) => {
    const response = await fetch(new URL(uri, playlistUrl), asked);
    const bytes = await response.bytes();
    const answered = `the part ${uri} was answered ${response.status}`;
    if (response.status === 200 && bytes.length > 0) watch.came();
    else watch.problems.push(...(response.status === 404 ? missed(answered) : [answered]));
  };
  const load = async () => {
    const askedAt = performance.now();
    const response = await fetch(playlistUrl + nextPartQuery(checker), asked);
    const text = await response.text();
    const list = response.status === 200 ? checker.see(text) : undefined;
    if (!list && checker.last) watch.problems.push(`a playlist was answered ${response.status}`);
    if (!list) return await Bun.sleep(againMs);
    next ??= edgeOf(list);
    const { fresh, missing, after } = partsFrom(list, next);
    if (missing)
      watch.problems.push(...missed(`part ${next.part} of segment ${next.sequence} was missed`));
    listedAt = askedAt;
    next = after;
    for (const part of fresh) await fetchPart(part);
    if (list.isEnded) await Bun.sleep(againMs);
  };
  const ended = (async () => {
    while (!signal.aborted) await load();
  })().catch((error: unknown) => {
    if (!signal.aborted) watch.problems.push(`the HLS viewer broke: ${error}`);
  });
  return watch.viewer(async () => {
    stopping.abort();
    await ended;
  });
}

/** Where a player joins: the first part of the newest segment. */
function edgeOf({ segments }: MediaPlaylist): { sequence: number; part: number } {
  return { sequence: segments.at(-1)?.sequence ?? 0, part: 0 };
}

/** The parts from that one on; whether it is listed no more; and the one to ask for next. */
function partsFrom({ segments }: MediaPlaylist, from: { sequence: number; part: number }) {
  const fresh: ListedPart[] = [];
  let after = from;
  let missing = (segments[0]?.sequence ?? 0) > from.sequence;
  for (const { sequence, parts, uri } of segments) {
    if (sequence < from.sequence) continue;
    // Parts leave the list long before their segment does.
    if (parts.length === 0) missing = true;
    fresh.push(...parts.slice(sequence === from.sequence ? from.part : 0));
    after =
      uri === undefined ? { sequence, part: parts.length } : { sequence: sequence + 1, part: 0 };
  }
  return { fresh, missing, after };
}

/** Two pictures further apart than this: some between them were left out. The clip has 30 a second. */
const pictureStepMsMax = 100;

export async function startRtmpViewer(url: string): Promise<SteadyViewer> {
  const watch = new Watch();
  let lastPicture: number | undefined;
  let isStopped = false;
  const playback = await playFrom(url, {
    media: ({ kind, timestamp, body }) => {
      watch.came();
      // Parameters of pictures have no time of their own.
      if (kind !== 'video' || readVideoTag(body)?.what !== 'picture') return;
      const stepMs = timestamp - (lastPicture ?? timestamp);
      if (stepMs < 0 || stepMs > pictureStepMsMax)
        watch.problems.push(`RTMP pictures go from ${lastPicture} to ${timestamp} ms`);
      lastPicture = timestamp;
    },
  });
  playback.closed.then((reason) => {
    if (!isStopped) watch.problems.push(`the RTMP viewer was closed: ${reason}`);
  });
  return watch.viewer(async () => {
    isStopped = true;
    playback.close();
    await playback.closed;
  });
}

/** Counts what comes, and the longest wait between two. */
class Watch {
  readonly problems: string[] = [];
  received = 0;
  private worstMs = 0;
  private lastAt: number | undefined;
  private isStopped = false;

  came(): void {
    this.worstMs = this.worstGapMs;
    this.received += 1;
    this.lastAt = performance.now();
  }

  /** A wait that still goes on counts too. */
  get worstGapMs(): number {
    if (this.lastAt === undefined || this.isStopped) return this.worstMs;
    return Math.max(this.worstMs, performance.now() - this.lastAt);
  }

  viewer(stop: () => Promise<void>): SteadyViewer {
    const watch = this;
    return {
      get received() {
        return watch.received;
      },
      get worstGapMs() {
        return watch.worstGapMs;
      },
      problems: this.problems,
      countAnew: () => {
        this.worstMs = 0;
        if (this.lastAt !== undefined) this.lastAt = performance.now();
      },
      stop: async () => {
        this.worstMs = this.worstGapMs;
        this.isStopped = true;
        await stop();
      },
    };
  }
}
