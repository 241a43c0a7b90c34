// A player of one node: it loads the playlist and every file of it again and again, and tells the history what it was shown.
import type { MediaPlaylist } from '../media-playlist.ts';
import type { ClusterNode } from './cluster-node.ts';
import type { ShownHistory } from './shown-history.ts';

/** Longer than a service lets a player wait for a part. */
const answeredWithinMs = 8_000;
const againMs = 100;

export class NodePlayer {
  readonly node: ClusterNode;
  /** Of the newest media that it was shown, by number and part; it only rises. */
  newest = 0;
  private newestAt = performance.now();
  private longestMs = 0;

  private readonly history: ShownHistory;
  private readonly path: string;
  private readonly stopping = new AbortController();
  private readonly loaded = new Set<string>();
  private readonly running: Promise<void>;

  constructor(node: ClusterNode, path: string, history: ShownHistory) {
    this.node = node;
    this.path = path;
    this.history = history;
    this.running = this.run();
  }

  /** The longest that nothing new was shown, since it was last asked. */
  takeLongestMs(): number {
    const longest = Math.max(this.longestMs, performance.now() - this.newestAt);
    this.longestMs = 0;
    return Math.round(longest);
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      await this.load().catch(() => {});
      if (!signal.aborted) await Bun.sleep(againMs);
    }
  }

  private async load(): Promise<void> {
    const by = { node: this.node.name, run: this.node.run };
    const askedAt = Date.now();
    const answer = await this.get(`${this.node.url}${this.path}?low_latency`);
    const text = await answer.text();
    // One that began before a kill is the old process's.
    if (by.run !== this.node.run) return;
    if (answer.status === 404) this.history.absent(by, { askedAt, at: Date.now() });
    if (answer.status !== 200) return;
    const list = this.history.playlist(by, text);
    if (!list) return;
    if (list.isEnded) this.history.absent(by, { askedAt, at: Date.now() });
    this.noteNewest(list);
    for (const name of filesOf(list)) await this.loadFile(name);
  }

  private noteNewest({ segments }: MediaPlaylist): void {
    const shown = segments.filter(({ isGap }) => !isGap).at(-1);
    if (!shown) return;
    const newest = shown.sequence * 1_000 + shown.parts.length;
    if (newest <= this.newest) return;
    this.newest = newest;
    const at = performance.now();
    this.longestMs = Math.max(this.longestMs, at - this.newestAt);
    this.newestAt = at;
  }

  private async loadFile(name: string): Promise<void> {
    if (this.loaded.has(name)) return;
    const by = { node: this.node.name, run: this.node.run };
    const answer = await this.get(new URL(name, `${this.node.url}${this.path}`).href);
    const bytes = await answer.bytes();
    // What is no longer listed may be gone.
    if (answer.status !== 200 || by.run !== this.node.run) return;
    this.loaded.add(name);
    this.history.file(by, name, String(Bun.hash(bytes)));
  }

  private get(url: string): Promise<Response> {
    const late = AbortSignal.timeout(answeredWithinMs);
    return fetch(url, { signal: AbortSignal.any([this.stopping.signal, late]) });
  }
}

function filesOf({ segments }: MediaPlaylist): Set<string> {
  const there = segments.filter(({ isGap }) => !isGap);
  const names = there.flatMap(({ map, uri, parts }) => [
    ...(map === undefined ? [] : [map]),
    ...(uri === undefined ? [] : [uri]),
    ...parts.map((part) => part.uri),
  ]);
  return new Set(names);
}
