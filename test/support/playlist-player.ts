// A player of the playlist alone: it asks for the next part again and again, and judges every answer.
import { PlaylistChecker } from './playlist-checker.ts';

export interface PlaylistPlayer {
  checker: PlaylistChecker;
  /** What the checker and the player themselves found wrong. */
  problems(): string[];
  /** Resolves once it holds, which is looked at after every answer; rejects when the player breaks before. */
  seen(holds: (checker: PlaylistChecker) => boolean): Promise<void>;
  stop(): Promise<void>;
}

interface Waiting {
  holds(checker: PlaylistChecker): boolean;
  resolve(): void;
  reject(error: Error): void;
}

/** Nothing to play yet, or no more: it asks again after this. */
const againMs = 30;

/** A service that is killed ends it too, silently where `mayBreak`. */
export function startPlaylistPlayer(
  url: string,
  { mayBreak = false }: { mayBreak?: boolean } = {},
): PlaylistPlayer {
  const checker = new PlaylistChecker();
  const found: string[] = [];
  const stopping = new AbortController();
  const waiting = new Set<Waiting>();
  let broken: Error | undefined;
  const load = async () => {
    const response = await fetch(url + nextPartQuery(checker), { signal: stopping.signal });
    const text = await response.text();
    if (response.status !== 200) {
      if (response.status !== 404) found.push(`the playlist was answered ${response.status}`);
      // A channel with a push that goes on always has one.
      if (checker.last && !checker.last.isEnded) found.push('the playlist is gone');
      await Bun.sleep(againMs);
      return;
    }
    const list = checker.see(text);
    for (const one of waiting) {
      if (!one.holds(checker)) continue;
      waiting.delete(one);
      one.resolve();
    }
    if (!list || list.isEnded) await Bun.sleep(againMs);
  };
  const ended = (async () => {
    while (!stopping.signal.aborted) await load();
  })().catch((error: unknown) => {
    if (stopping.signal.aborted) return;
    broken = new Error(`the player broke: ${error}`);
    if (!mayBreak) found.push(broken.message);
    for (const { reject } of waiting) reject(broken);
  });
  return {
    checker,
    problems: () => [...checker.problems, ...found],
    seen: (holds) =>
      new Promise((resolve, reject) => {
        if (holds(checker)) resolve();
        else if (broken) reject(broken);
        else waiting.add({ holds, resolve, reject });
      }),
    stop: async () => {
      stopping.abort();
      await ended;
    },
  };
}

/** Blocking reload: the part after the last one listed (RFC 8216bis 6.2.5.2). */
export function nextPartQuery({ last }: PlaylistChecker): string {
  const newest = last?.segments.at(-1);
  // Players that know of parts need not wait for the first whole segment.
  if (!newest || last?.isEnded) return '?low_latency';
  const { sequence, uri, parts } = newest;
  return uri === undefined
    ? `?_HLS_msn=${sequence}&_HLS_part=${parts.length}`
    : `?_HLS_msn=${sequence + 1}&_HLS_part=0`;
}
