// What a show's sessions say of where they came from: each word kept once, and viewers counted by it.

/** A session's row, as far as a report tells of it. */
export interface SheetRow {
  viewer_id: string;
  nick: string;
  addr: string;
  device: string;
  browser: string;
  origin: string;
  /** Also those of other shows. */
  spans: string;
}

/** What a report can be narrowed by, and the column that says it. */
export const groupings = {
  place: 'addr',
  device: 'device',
  browser: 'browser',
  source: 'origin',
} as const satisfies Record<string, keyof SheetRow>;
export type Grouping = keyof typeof groupings;
export const groupingNames = Object.keys(groupings) as Grouping[];

/** How many viewers a place, a device, a browser or a source had. */
export interface Group {
  name: string;
  viewers: number;
}

/** Of groups of a kind, and of people, so many are named. */
export const namedMax = 100;

/** The code of a word that no row says, and the number of no session. */
export const none = -1;

/** Viewers by what their sessions say; one with two devices has both. */
export class GroupCounts {
  private readonly words: Record<Grouping, Words>;
  private readonly said: Record<Grouping, readonly number[]>;

  private readonly counts = columns((): number[] => []);
  /** By code the last viewer that was counted there. */
  private readonly countedOf = columns((): number[] => []);

  constructor(words: Record<Grouping, Words>, said: Record<Grouping, readonly number[]>) {
    this.words = words;
    this.said = said;
  }

  add({ viewer, sessions }: { viewer: number; sessions: readonly number[] }): void {
    for (const name of groupingNames) {
      const counts = this.counts[name];
      const countedOf = this.countedOf[name];
      for (const session of sessions) {
        const code = this.said[name][session] ?? none;
        if (countedOf[code] === viewer) continue;
        countedOf[code] = viewer;
        counts[code] = (counts[code] ?? 0) + 1;
      }
    }
  }

  /** The largest first. */
  named(): Record<Grouping, Group[]> {
    return columns((name) => {
      const groups = Object.entries(this.counts[name]).map(([code, viewers]) => ({
        name: this.words[name].word(Number(code)),
        viewers,
      }));
      groups.sort((a, b) => b.viewers - a.viewers || (a.name < b.name ? -1 : 1));
      return groups.slice(0, namedMax);
    });
  }
}

/** Texts that rows share, each kept once. */
export class Words {
  private readonly codes = new Map<string, number>();
  private readonly words: string[] = [];

  code(word: string): number {
    const known = this.codes.get(word);
    if (known !== undefined) return known;
    this.codes.set(word, this.words.length);
    return this.words.push(word) - 1;
  }

  /** That of no row where it is unknown. */
  find(word: string): number {
    return this.codes.get(word) ?? none;
  }

  word(code: number): string {
    return this.words[code] ?? '';
  }
}

export function columns<T>(make: (name: Grouping) => T): Record<Grouping, T> {
  return {
    place: make('place'),
    device: make('device'),
    browser: make('browser'),
    source: make('source'),
  };
}
