// A show's sheet: what each of its sessions watched and where from, in memory, so that any part of them can be counted.
import { readSpans } from '../records/span.ts';
import {
  cameIn,
  leftIn,
  MinuteScale,
  minutesEachOf,
  type ShowFigures,
  type ShownSpan,
  type ShowViewer,
  seenIn,
  showFigures,
  showViewer,
} from './show-figures.ts';

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
const groupingNames = Object.keys(groupings) as Grouping[];

/** Those who are counted: sessions from there, of viewers who came, left or saw something in that minute. */
export interface SheetFilter extends Partial<Record<Grouping, string | undefined>> {
  came?: number | undefined;
  left?: number | undefined;
  seen?: number | undefined;
}

/** How many viewers a place, a device, a browser or a source had. */
export interface Group {
  name: string;
  viewers: number;
}

/** One of those who watched. */
export interface Person {
  viewer_id: string;
  nick: string;
  place: string;
  device: string;
  watch_ms: number;
  /** Minutes of the report. */
  came: number;
  left: number;
}

export interface SheetCount {
  figures: ShowFigures;
  groups: Record<Grouping, Group[]>;
  /** Those who watched longest. */
  people: Person[];
}

/** Some of the people, and where to go on; undefined behind the last. */
export interface PeoplePiece {
  people: Person[];
  next: number | undefined;
}

/** Of groups of a kind, and of people, so many are named. */
export const namedMax = 100;

const numbersPerSpan = 3;
const none = -1;

export class ShowSheet {
  private readonly begin: number;

  private readonly viewers = new Map<string, number>();
  private readonly viewerIds: string[] = [];
  private readonly nicks: string[] = [];
  /** The last session of each viewer, and by session the one before it. */
  private readonly lastOf: number[] = [];
  private readonly sessionBefore: number[] = [];
  /** By session what each column says. */
  private readonly words = columns(() => new Words());
  private readonly said = columns((): number[] => []);
  /** Where the spans of each session begin, and all of them, three numbers each. */
  private readonly spansAt: number[] = [0];
  private readonly spans: number[] = [];
  /** How long after the beginning the last of it was watched, by the wall's clock and by the media's. */
  private lastMs = 0;

  constructor(begin: number) {
    this.begin = begin;
  }

  /** How much it holds, in numbers and names. */
  get size(): number {
    return this.spans.length + this.sessionBefore.length * (groupingNames.length + 2);
  }

  /** Sessions that watched nothing of the show are passed over. */
  add(rows: Iterable<SheetRow>): void {
    for (const row of rows) {
      const before = this.spans.length;
      for (const { show, from, to, position } of readSpans(row.spans)) {
        if (show !== this.begin) continue;
        this.spans.push(from, to, position);
        this.lastMs = Math.max(this.lastMs, to - show, position + to - from);
      }
      if (this.spans.length === before) continue;
      this.spansAt.push(this.spans.length);
      const session = this.sessionBefore.length;
      for (const name of groupingNames)
        this.said[name].push(this.words[name].code(row[groupings[name]]));
      const viewer = this.viewerOf(row);
      this.sessionBefore.push(this.lastOf[viewer] ?? none);
      this.lastOf[viewer] = session;
    }
  }

  count(filter: SheetFilter): SheetCount {
    const scale = this.scale();
    const groups = new GroupCounts(this.words, this.said);
    const longest = new Longest<{ viewer: number; shown: ShowViewer }>();
    const shownViewers = this.matching(filter, { scale }).map((found) => {
      groups.add(found);
      longest.add(found.shown.watch_ms, found);
      return found.shown;
    });
    const figures = showFigures({ begin: this.begin, scale }, shownViewers);
    const people = longest.most(namedMax).map((found) => this.personOf(found, scale));
    return { figures, groups: groups.named(), people };
  }

  /** Those whom the filter leaves, in the order in which they came to the channel, so many of them. */
  people(filter: SheetFilter, { from, limit }: { from: number; limit: number }): PeoplePiece {
    const scale = this.scale();
    const people: Person[] = [];
    for (const found of this.matching(filter, { scale, from })) {
      people.push(this.personOf(found, scale));
      if (people.length === limit) return { people, next: found.viewer + 1 };
    }
    return { people, next: undefined };
  }

  private scale(): MinuteScale {
    return new MinuteScale(minutesEachOf(this.lastMs));
  }

  private personOf({ viewer, shown }: Omit<Found, 'sessions'>, scale: MinuteScale): Person {
    return {
      viewer_id: this.viewerIds[viewer] ?? '',
      nick: this.nicks[viewer] ?? '',
      place: this.saidLast(viewer, 'place'),
      device: this.saidLast(viewer, 'device'),
      watch_ms: shown.watch_ms,
      came: cameIn(shown, this.begin, scale),
      left: leftIn(shown, this.begin, scale),
    };
  }

  private *matching(
    filter: SheetFilter,
    { scale, from = 0 }: { scale: MinuteScale; from?: number },
  ): Generator<Found, undefined> {
    const wanted = this.wantedCodes(filter);
    const { came, left, seen } = filter;
    for (let viewer = from; viewer < this.lastOf.length; viewer++) {
      const last = this.lastOf[viewer] ?? none;
      const sessions = this.sessionsFrom(last).filter((session) =>
        wanted.every(({ said, code }) => said[session] === code),
      );
      if (sessions.length === 0) continue;
      const shown = showViewer(
        sessions.length,
        sessions.flatMap((one) => this.spansOf(one)),
      );
      if (came !== undefined && cameIn(shown, this.begin, scale) !== came) continue;
      if (left !== undefined && leftIn(shown, this.begin, scale) !== left) continue;
      const hasSeen = (minute: number) =>
        seenIn(shown, scale).some(({ from, to }) => from <= minute && minute < to);
      if (seen !== undefined && !hasSeen(seen)) continue;
      yield { viewer, sessions, shown };
    }
  }

  private wantedCodes(filter: SheetFilter): { said: readonly number[]; code: number }[] {
    return groupingNames.flatMap((name) => {
      const word = filter[name];
      return word === undefined
        ? []
        : [{ said: this.said[name], code: this.words[name].find(word) }];
    });
  }

  private viewerOf({ viewer_id, nick }: SheetRow): number {
    const known = this.viewers.get(viewer_id);
    const viewer = known ?? this.viewers.size;
    if (known === undefined) {
      this.viewers.set(viewer_id, viewer);
      this.viewerIds.push(viewer_id);
    }
    this.nicks[viewer] = nick || (this.nicks[viewer] ?? '');
    return viewer;
  }

  private sessionsFrom(last: number): number[] {
    const sessions: number[] = [];
    for (let session = last; session !== none; session = this.sessionBefore[session] ?? none)
      sessions.push(session);
    return sessions;
  }

  private spansOf(session: number): ShownSpan[] {
    const spans: ShownSpan[] = [];
    const end = this.spansAt[session + 1] ?? 0;
    for (let at = this.spansAt[session] ?? 0; at < end; at += numbersPerSpan) {
      const [from, to, position] = this.spans.slice(at, at + numbersPerSpan) as [
        number,
        number,
        number,
      ];
      spans.push({ from, to, position });
    }
    return spans;
  }

  private saidLast(viewer: number, name: Grouping): string {
    return this.words[name].word(this.said[name][this.lastOf[viewer] ?? none] ?? none);
  }
}

interface Found {
  viewer: number;
  sessions: readonly number[];
  shown: ShowViewer;
}

/** Texts that rows share, each kept once. */
class Words {
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

/** Viewers by what their sessions say; one with two devices has both. */
class GroupCounts {
  private readonly words: Record<Grouping, Words>;
  private readonly said: Record<Grouping, readonly number[]>;

  private readonly counts = columns((): number[] => []);
  /** By code the last viewer that was counted there. */
  private readonly countedOf = columns((): number[] => []);

  constructor(words: Record<Grouping, Words>, said: Record<Grouping, readonly number[]>) {
    this.words = words;
    this.said = said;
  }

  add({ viewer, sessions }: Found): void {
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

/** Of many those with the largest number; the others are not sorted. */
class Longest<T> {
  private readonly numbers: number[] = [];
  private readonly all: T[] = [];

  add(number: number, one: T): void {
    this.numbers.push(number);
    this.all.push(one);
  }

  most(count: number): T[] {
    const least = Float64Array.from(this.numbers).sort().at(-count) ?? 0;
    return this.numbers
      .map((number, at) => ({ number, at }))
      .filter(({ number }) => number >= least)
      .sort((a, b) => b.number - a.number || a.at - b.at)
      .slice(0, count)
      .flatMap(({ at }) => this.all[at] ?? []);
  }
}

function columns<T>(make: (name: Grouping) => T): Record<Grouping, T> {
  return {
    place: make('place'),
    device: make('device'),
    browser: make('browser'),
    source: make('source'),
  };
}
