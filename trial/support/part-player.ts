// A low-latency player that fetches every part it is told of, in order, and remembers what each was.
import { PlaylistChecker } from '../../test/support/playlist-checker.ts';
import { nextPartQuery } from '../../test/support/playlist-player.ts';

export interface PartPlayer {
  checker: PlaylistChecker;
  /** By its name: what a part or a segment of the end was, and when it had come. */
  pieces: Map<string, { hash: string; at: number }>;
  problems: string[];
  requests(): number;
  /** Those among them that were for a playlist. */
  playlists(): number;
  /** Resolves when the stream has ended. */
  over: Promise<void>;
}

/** Not live yet: it asks again after this. */
const againMs = 50;

export function startPartPlayer(url: string): PartPlayer {
  const checker = new PlaylistChecker();
  const pieces: PartPlayer['pieces'] = new Map();
  const problems: string[] = [];
  let requests = 0;
  let playlists = 0;
  const take = async (name: string) => {
    if (pieces.has(name)) return;
    requests += 1;
    const answer = await fetch(new URL(name, url));
    const bytes = new Uint8Array(await answer.arrayBuffer());
    if (answer.ok) pieces.set(name, { hash: String(Bun.hash(bytes)), at: performance.now() });
    else problems.push(`${name} was answered ${answer.status}`);
  };
  const load = async () => {
    requests += 1;
    playlists += 1;
    const answer = await fetch(url + nextPartQuery(checker));
    const text = await answer.text();
    if (!answer.ok) {
      if (answer.status !== 404 || checker.last) problems.push(`a playlist was ${answer.status}`);
      await Bun.sleep(againMs);
      return;
    }
    const list = checker.see(text);
    for (const { parts } of list?.segments ?? []) for (const { uri } of parts) await take(uri);
    // The last parts may be told of with the end alone, as their segment.
    const last = list?.isEnded ? list.segments.at(-1)?.uri : undefined;
    if (last !== undefined) await take(last);
  };
  const over = (async () => {
    while (!checker.last?.isEnded) await load();
  })();
  return {
    ...{ checker, pieces, problems, over },
    requests: () => requests,
    playlists: () => playlists,
  };
}

/** What it lacks of what another has, from its own first part on, and what it has that is another's no more. */
export function comparedWith(player: PartPlayer, origin: PartPlayer): string[] {
  const names = [...origin.pieces.keys()];
  const isPart = (name: string) => /\.\d+\.m4s$/.test(name);
  const first = names.findIndex((name) => player.pieces.has(name));
  const lastSegment = names.findLast((name) => !isPart(name))?.replace('.m4s', '.');
  const lost = names
    .slice(Math.max(0, first))
    .filter((name) => !player.pieces.has(name))
    // Where the last segment came whole, its parts did.
    .filter((name) => lastSegment === undefined || !name.startsWith(lastSegment));
  const other = [...player.pieces]
    .filter(([name, { hash }]) => origin.pieces.get(name)?.hash !== hash)
    .map(([name]) => name)
    .filter(
      (name) =>
        lastSegment === undefined || !name.startsWith(lastSegment) || origin.pieces.has(name),
    );
  return [
    ...player.problems,
    ...player.checker.problems,
    ...(first < 0 ? ['it had nothing'] : []),
    ...lost.map((name) => `${name} was lost`),
    ...other.map((name) => `${name} is not the origin's`),
  ];
}
