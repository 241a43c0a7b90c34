// What clients were told, and whether the database still says the same.
import type { Snapshot } from './snapshot.ts';

/** The last acknowledged value, and those sent since whose fate the client does not know. */
interface Told {
  value: string;
  maybe: string[];
}

/** One thing of a channel that is written whole: its name, or some fields of its page. */
export type Aspect = 'name' | `page:${string}`;

export interface Counts {
  acknowledged: number;
  /** Answered 503. */
  refused: number;
  /** Not answered at all. */
  unanswered: number;
}

/** How a write ended for the client. A refused or unanswered one may have been made. */
export type Ending = keyof Counts;

export class Ledger {
  readonly counts: Counts = { acknowledged: 0, refused: 0, unanswered: 0 };
  private readonly channels = new Map<number, Map<Aspect, Told>>();
  /** Names of creates that were not acknowledged. Their channel, if there is one, keeps the name. */
  private readonly doubtful = new Set<string>();

  created(name: string, ending: Ending, id?: number): void {
    this.counts[ending] += 1;
    if (id === undefined) {
      this.doubtful.add(name);
      return;
    }
    this.doubtful.delete(name);
    this.channels.set(id, new Map([['name', { value: name, maybe: [] }]]));
  }

  changed(id: number, aspect: Aspect, value: string, ending: Ending): void {
    this.counts[ending] += 1;
    const aspects = this.channels.get(id);
    if (!aspects) throw new Error(`channel ${id} was changed before it was made`);
    const told = aspects.get(aspect) ?? { value: unwritten(aspect), maybe: [] };
    if (ending === 'acknowledged') aspects.set(aspect, { value, maybe: [] });
    else aspects.set(aspect, { value: told.value, maybe: [...told.maybe, value] });
  }

  /** Names of creates that may or may not have been made. */
  doubtfulNames(): string[] {
    return [...this.doubtful];
  }

  /**
   * Everything that does not hold: `lost` is what was acknowledged and is not there, `broken` a database
   * that contradicts itself. With `exact`, what was refused or not answered must not be there either.
   */
  compare(found: Snapshot, { exact = false } = {}): { lost: string[]; broken: string[] } {
    const lost: string[] = [];
    const broken = [...found.problems];
    const rows = new Map(found.channels.map((row) => [row.id, row]));
    for (const [id, aspects] of this.channels) {
      const row = rows.get(id);
      if (!row) {
        lost.push(`channel ${id} was acknowledged and is not there`);
        continue;
      }
      for (const [aspect, { value, maybe }] of aspects) {
        const now = aspect === 'name' ? row.name : pageValue(row.page, aspect);
        if (now === value || (!exact && maybe.includes(now))) continue;
        lost.push(`${aspect} of channel ${id} must be ${value} (or ${maybe}), and is ${now}`);
      }
    }
    const doubtfulFound = found.channels.filter(({ id }) => !this.channels.has(id));
    const names = new Set<string>();
    for (const { id, name } of doubtfulFound) {
      if (exact || !this.doubtful.has(name)) broken.push(`nobody made channel ${id} (${name})`);
      if (names.has(name)) broken.push(`one create made two channels (${name})`);
      names.add(name);
    }
    return { lost, broken };
  }

  /** Takes what is found for what was acknowledged, after a comparison: nothing is in doubt any more. */
  settle(found: Snapshot): void {
    for (const { id, name, page } of found.channels) {
      const aspects = this.channels.get(id) ?? new Map<Aspect, Told>();
      for (const aspect of aspects.keys()) {
        const value = aspect === 'name' ? name : pageValue(page, aspect);
        aspects.set(aspect, { value, maybe: [] });
      }
      aspects.set('name', { value: name, maybe: [] });
      this.channels.set(id, aspects);
    }
    this.doubtful.clear();
  }
}

/** The named fields of a page as one text, so that a change is there whole or not at all. */
export function pageValue(page: Record<string, unknown>, aspect: Aspect): string {
  return JSON.stringify(fieldsOf(aspect).map((field) => page[field] ?? ''));
}

function unwritten(aspect: Aspect): string {
  return pageValue({}, aspect);
}

function fieldsOf(aspect: Aspect): string[] {
  return aspect.slice('page:'.length).split(',');
}
