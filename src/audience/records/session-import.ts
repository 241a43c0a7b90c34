// Imports the sessions of another platform: staged, sorted, then merged with exact visitors and block counts.
import { type ImportOptions, type ImportReport, readLines } from '../../base/api/line-import.ts';
import { letOthersWrite } from '../../base/db/give-way.ts';
import type { Store } from '../../base/db/sql.ts';
import type { Zone } from '../../base/lib/time.ts';
import { appendSessions, mergeHistory } from './session-import-store.ts';
import { sessionLineReader } from './session-line.ts';
import {
  countStaged,
  createStage,
  dropKnown,
  hasOlder,
  numberStaged,
  stage,
  stageRows,
} from './staged-session-store.ts';
import { createVisitTables } from './visit-import-store.ts';

/** Rows added in one transaction: the service's own writes wait no longer than this takes. */
const mergeRowsUsual = 5_000;

/** Runs on a store with one connection: what is staged lies in tables of that connection alone. */
export async function importSessions(
  store: Store,
  given: ImportOptions & { channel_id: number; zone: Zone; now: number; mergeRows?: number },
): Promise<ImportReport> {
  const { channel_id, zone, now, mergeRows = mergeRowsUsual, ...options } = given;
  const report: ImportReport = { lines: 0, added: 0, known: 0, bad: 0 };
  await createStage(store);
  await createVisitTables(store);
  await readLines(options, report, {
    check: sessionLineReader(zone, now),
    keep: async (good) => {
      for (let at = 0; at < good.length; at += stageRows) {
        const rows = good.slice(at, at + stageRows);
        report.known += rows.length - (await stage(store, rows));
      }
    },
  });
  const staged = await countStaged(store);
  // Asked here to spare work; each transaction asks again, for others write to the channel meanwhile.
  await dropKnown(store, channel_id);
  let isOlder = await hasOlder(store, channel_id);
  const count = isOlder ? 0 : await numberStaged(store);
  for (let from = 1; from <= count && !isOlder; from += mergeRows) {
    const until = Math.min(from + mergeRows, count + 1);
    const added = await store.perform(appendSessions, { channel_id, from, until });
    isOlder = added === 'older';
    if (added === 'older' || added === 0) continue;
    report.added += added;
    options.onProgress(report, `added of ${staged}`);
    if (until <= count) await letOthersWrite(store);
  }
  if (isOlder) {
    options.onProgress(report, 'numbering the channel anew');
    report.added += await store.perform(mergeHistory, { channel_id });
  }
  report.known += staged - report.added;
  return report;
}
