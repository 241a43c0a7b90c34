// A show's report as files: minute by minute, and those who watched.
import * as z from 'zod';
import { csvLine, csvMark } from '../../base/api/csv.ts';
import type { Pieces } from '../../base/api/pieces.ts';
import type { Zone } from '../../base/lib/time.ts';
import { type ShowMinute, showMinute } from './show-figures.ts';
import { personView, type ShowMarks, shownPerson } from './show-report.ts';
import type { Person } from './show-sheet.ts';

const count = (description: string) => z.int().meta({ description });

export const minuteLine = z
  .object({
    minute: count('which of the `minutes`, from 0 on'),
    begin: z.string().meta({ description: 'when it began' }),
    ...showMinute.shape,
    chat: count('lines of chat in it'),
    shares: count('how often the page was shared in it'),
  })
  .meta({ title: 'ShowMinuteLine' });

/** At most a day's minutes: one piece. */
export function minutesCsv(
  { begin_at }: { begin_at: number },
  figures: { minutes_each: number; minutes: readonly ShowMinute[] },
  { chat, shares }: ShowMarks,
  zone: Zone,
): Pieces {
  const eachMs = figures.minutes_each * 60_000;
  // Somebody may write when nobody watches.
  const length = Math.max(figures.minutes.length, chat.length, shares.length);
  const lines = Array.from(
    { length },
    (_, minute): z.output<typeof minuteLine> => ({
      minute,
      begin: zone.dateTime(begin_at + minute * eachMs),
      ...(figures.minutes[minute] ?? empty),
      chat: chat[minute] ?? 0,
      shares: shares[minute] ?? 0,
    }),
  );
  return csvOf(Object.keys(minuteLine.shape), once(lines));
}

const empty: ShowMinute = { viewers: 0, came: 0, left: 0, seen: 0, stayed: 0 };

function once<T>(all: T[]): () => Promise<T[]> {
  let left = all;
  return async () => {
    const given = left;
    left = [];
    return given;
  };
}

export function peopleCsv(nextPeople: () => Promise<Person[]>): Pieces {
  return csvOf(Object.keys(shownPerson.shape), async () => (await nextPeople()).map(personView));
}

/** For programs: a CSV has an apostrophe before an id that looks like a formula. */
export function peopleNdjson(nextPeople: () => Promise<Person[]>): Pieces {
  return async () => {
    const lines = (await nextPeople()).map((person) => `${JSON.stringify(personView(person))}\n`);
    return lines.length === 0 ? undefined : lines.join('');
  };
}

function csvOf(
  columns: readonly string[],
  nextLines: () => Promise<Record<string, string | number>[]>,
): Pieces {
  let head = csvMark + csvLine(columns);
  return async () => {
    const lines = await nextLines();
    const rows = lines.map((line) => csvLine(columns.map((column) => line[column] ?? '')));
    const piece = head + rows.join('');
    head = '';
    return piece === '' ? undefined : piece;
  };
}
