// A show's sheet: what each of its sessions watched and where from, in memory, so that any part of them can be counted.
import { Longest } from '../../base/lib/longest.ts';
import { readSpans } from '../records/span.ts';
import {
  columns,
  type Group,
  GroupCounts,
  type Grouping,
  groupingNames,
  groupings,
  namedMax,
  none,
  type SheetRow,
  Words,
} from './sheet-groups.ts';
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
import type { Mark } from './show-marks-store.ts';

/** Those who are counted: sessions from there, of viewers who came, left or saw something in that minute. */
export interface SheetFilter extends Partial<Record<Grouping, string | undefined>> {
  came?: number | undefined;
  left?: number | undefined;
  seen?: number | undefined;
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

const numbersPerSpan = 3;

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
  /** Whom the last filter left whose marks were counted. */
  private matched: { filter: string; viewers: ReadonlySet<number> } | undefined;

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

  /** Of what was said or shared how much is of those whom the filter leaves, by minute. */
  marked(filter: SheetFilter, marks: Iterable<Mark>): number[] {
    const scale = this.scale();
    const matching = this.matchingViewers(filter, scale);
    const counts: number[] = [];
    for (const [viewer_id, at] of marks) {
      if (!matching.has(this.viewers.get(viewer_id) ?? none)) continue;
      const minute = scale.at(at - this.begin);
      counts[minute] = (counts[minute] ?? 0) + 1;
    }
    return Array.from(counts, (count) => count ?? 0);
  }

  /** The marks of one filter come in pieces. */
  private matchingViewers(filter: SheetFilter, scale: MinuteScale): ReadonlySet<number> {
    const text = JSON.stringify(filter);
    if (this.matched?.filter !== text) {
      const viewers = new Set(this.matching(filter, { scale }).map(({ viewer }) => viewer));
      this.matched = { filter: text, viewers };
    }
    return this.matched.viewers;
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
