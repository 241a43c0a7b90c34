// What players of several nodes were shown: numbers that never fall, and names that have one content for all of them.
import { type MediaPlaylist, PlaylistError, readMediaPlaylist } from '../media-playlist.ts';

/** Where a playlist came from: a node, and which of its processes. */
export interface ShownBy {
  node: string;
  run: number;
}

/** A player was told that there is nothing, which it takes for the end, or the end itself. */
export interface Absence extends ShownBy {
  /** By the time of the database. */
  askedAt: number;
  at: number;
}

/** What was seen at one node's address. */
interface SeenAt {
  mediaSequence: number;
  newest: number;
  run: number;
  /** Of its present process, by number. */
  files: Map<number, string>;
}

/**
 * A process that begins to follow a holder which has just taken over may have less than the one before it: what the holder
 * had of it. A player that waits for the number after the newest goes on waiting then; by one more it is told 400.
 */
const anewFallMax = 1;

export class ShownHistory {
  readonly problems: string[] = [];
  readonly absences: Absence[] = [];
  playlists = 0;

  private readonly nodes = new Map<string, SeenAt>();
  /** By name: what it is, and who showed it first. */
  private readonly contents = new Map<string, { hash: string; node: string }>();

  get files(): number {
    return this.contents.size;
  }

  /** A playlist as it came; undefined where it is none. */
  playlist({ node, run }: ShownBy, text: string): MediaPlaylist | undefined {
    this.playlists += 1;
    try {
      const list = readMediaPlaylist(text);
      this.checkNumbers({ node, run }, list);
      return list;
    } catch (error) {
      if (!(error instanceof PlaylistError)) throw error;
      this.problems.push(`${node}: ${error.message}`);
      return undefined;
    }
  }

  absent(by: ShownBy, when: Pick<Absence, 'askedAt' | 'at'>): void {
    this.absences.push({ ...by, ...when });
  }

  file({ node }: ShownBy, name: string, hash: string): void {
    const known = this.contents.get(name);
    if (known && known.hash !== hash)
      this.problems.push(`${name} is one thing on ${known.node} and another on ${node}`);
    if (!known) this.contents.set(name, { hash, node });
  }

  private checkNumbers({ node, run }: ShownBy, list: MediaPlaylist): void {
    const { mediaSequence, segments } = list;
    const newest = segments.at(-1)?.sequence ?? mediaSequence - 1;
    const seen = this.nodes.get(node);
    const say = (problem: string) => this.problems.push(`${node}: ${problem}`);
    if (seen && mediaSequence < seen.mediaSequence)
      say(`media sequence ${mediaSequence} after ${seen.mediaSequence}`);
    const fallMax = seen?.run === run ? 0 : anewFallMax;
    if (seen && newest < seen.newest - fallMax) say(`the newest is ${newest} after ${seen.newest}`);
    // Another process may have less of a segment that was cut short, under a name that says so.
    const files = seen?.run === run ? seen.files : new Map<number, string>();
    for (const { sequence, uri } of segments) {
      if (uri === undefined) continue;
      const known = files.get(sequence) ?? uri;
      if (known !== uri) say(`${sequence} is ${known}, and then ${uri}`);
      files.set(sequence, uri);
    }
    this.nodes.set(node, { mediaSequence, newest, run, files });
  }
}
