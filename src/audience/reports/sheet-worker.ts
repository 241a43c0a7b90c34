// The program of the thread that holds sheets and counts them: a show of 100,000 viewers is a quarter of a second's work.
import { RecentMap } from '../../base/lib/recent-map.ts';
import type { SheetRow } from './sheet-groups.ts';
import type { Mark } from './show-marks-store.ts';
import { type PeoplePiece, type SheetCount, type SheetFilter, ShowSheet } from './show-sheet.ts';

/** What the thread is asked, each by a number that its answer has too. */
export type SheetAsk = { id: number; sheet: string } & (
  | { ask: 'begin'; begin: number }
  /** `SheetRow`s as JSON. */
  | { ask: 'add'; rows: string }
  /** It is whole. */
  | { ask: 'keep' }
  /** It could not be read to its end. */
  | { ask: 'drop' }
  | { ask: 'count'; filter: SheetFilter }
  /** `Mark`s as JSON. */
  | { ask: 'mark'; filter: SheetFilter; marks: string }
  | { ask: 'people'; filter: SheetFilter; from: number; limit: number }
);

/** Each is undefined where the sheet is not there, or the ask was another. */
export interface SheetAnswer {
  id: number;
  count?: SheetCount | undefined;
  people?: PeoplePiece | undefined;
  marked?: number[] | undefined;
}

/** Of all sheets together, in numbers: some 150 MB, or a show of a million sessions. A larger one is held alone. */
const sizeMax = 20_000_000;

declare const self: Worker;

const weigh = ({ size }: ShowSheet) => Math.min(size, sizeMax);
const made = new Map<string, ShowSheet>();
const whole = new RecentMap<string, ShowSheet>({ max: sizeMax, weigh });

self.onmessage = ({ data }: MessageEvent<SheetAsk>) => {
  const answer: SheetAnswer = { id: data.id, ...answerTo(data) };
  self.postMessage(answer);
};

function answerTo(asked: SheetAsk): Omit<SheetAnswer, 'id'> {
  const { sheet } = asked;
  switch (asked.ask) {
    case 'begin':
      made.set(sheet, new ShowSheet(asked.begin));
      return {};
    case 'add':
      made.get(sheet)?.add(JSON.parse(asked.rows) as SheetRow[]);
      return {};
    case 'keep': {
      const one = made.get(sheet);
      made.delete(sheet);
      if (one) whole.set(sheet, one);
      return {};
    }
    case 'drop':
      made.delete(sheet);
      return {};
    case 'count':
      return { count: whole.get(sheet)?.count(asked.filter) };
    case 'mark':
      return {
        marked: whole.get(sheet)?.marked(asked.filter, JSON.parse(asked.marks) as Mark[]),
      };
    case 'people':
      return { people: whole.get(sheet)?.people(asked.filter, asked) };
  }
}
