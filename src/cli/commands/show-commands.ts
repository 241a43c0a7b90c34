// `footlight show list|report`: the shows of a channel and what each came to.
import { minutesCsv } from '../../audience/reports/show-csv.ts';
import { readMarks } from '../../audience/reports/show-marks-store.ts';
import { shownShowView, showView, timelineView } from '../../audience/reports/show-report.ts';
import {
  type FoundShow,
  findShow,
  listShows,
  readTimeline,
} from '../../audience/reports/show-report-store.ts';
import { ShowSheets } from '../../audience/reports/show-sheets.ts';
import { ApiError } from '../../base/api/errors.ts';
import type { Store } from '../../base/db/sql.ts';
import { monotonicMs } from '../../base/lib/time.ts';
import { accountOfChannel } from '../../library/channels/channel-store.ts';
import { type Command, command } from '../parts/command.ts';
import { printAll, withStore } from '../parts/command-database.ts';
import { notFound, UsageError } from '../parts/exit-codes.ts';
import { flag, needed, option } from '../parts/option.ts';
import { checkTarget, writePieces } from '../parts/target-file.ts';
import { file, whole } from '../parts/value-kinds.ts';

const channel = needed(whole, 'Of which channel.');

export const showCommands: readonly Command[] = [
  command({
    name: 'show list',
    audit: 'nothing',
    sentence:
      'The shows of a channel, the newest first, with their figures where they are counted.',
    options: { channel },
    examples: ['show list --channel 7'],
    run: async ({ channel: channel_id }, run) => {
      await withStore(run, async (store) => {
        const account_id = await accountOfChannel(store, channel_id);
        await printAll(run.out, {
          read: ({ limit: perPage, offset }) => {
            const p = offset / perPage + 1;
            return store.perform(listShows, { account_id, channel_id, p, perPage });
          },
          shown: (show) => shownShowView(show, run.config.zone),
          columns: [
            'id',
            'begin',
            'end',
            ['peak', ({ figures }) => figures?.peak],
            ['viewers', ({ figures }) => figures?.uv],
            ['watched s', ({ figures }) => figures?.watch_seconds],
            'videos',
          ],
        });
      });
    },
  }),
  command({
    name: 'show report',
    audit: 'nothing',
    sentence: 'What a show came to: viewers, time watched, minute by minute.',
    options: {
      channel,
      show: option(whole, 'Which show; without it the latest.'),
      csv: flag('The minutes as CSV, as the console downloads them.'),
      to: option(file, 'Where the CSV goes; without it, or with -, standard output.'),
      force: flag('Replace a file that is there.'),
    },
    examples: [
      'show report --channel 7',
      'show report --channel 7 --show 12 --csv --to show-12.csv',
    ],
    run: async ({ channel: channel_id, show, csv, to, force }, run) => {
      const { out, config } = run;
      const isFile = to !== undefined && to !== '-';
      if (isFile && !csv) throw new UsageError('--to is for --csv');
      if (csv && out.isJson && !isFile) throw new UsageError('--json prints no CSV: give --to');
      if (isFile) await checkTarget({ path: to, force, dataDir: config.dataDir });
      await withStore(run, async (store) => {
        const account_id = await accountOfChannel(store, channel_id);
        const found = await store.perform(findShow, { account_id, channel_id, show });
        if (!found && show !== undefined)
          throw new ApiError('noShow', { message: `No show ${show} of channel ${channel_id}` });
        if (!found) throw notFound(`channel ${channel_id} has had no show yet`);
        const figures = await figuresOf(store, found, account_id);
        const of = { account_id, channel_id, begin_at: found.begin_at };
        if (csv) {
          const { minutes_each } = figures;
          const marks = await store.perform(readMarks, {
            ...of,
            end_at: found.end_at,
            minutes_each,
          });
          const next = minutesCsv(found, figures, marks, config.zone);
          await writePieces(next, { to, force, dataDir: config.dataDir, out });
          if (isFile) await out.thing({ id: found.id, file: to });
          return;
        }
        const timeline = timelineView(found, await store.perform(readTimeline, of));
        const { minutes, ...shown } = showView(found, figures, config.zone);
        if (!out.isForPeople) return await out.line({ ...shown, minutes, ...timeline });
        await out.thing(shown);
        await out.text('');
        await out.all(
          minutes.map((one, minute) => ({ minute: minute * figures.minutes_each, ...one })),
          ['minute', 'viewers', 'came', 'left', 'seen', 'stayed'],
        );
      });
    },
  }),
];

/** As they were kept, or counted now; a command that reads keeps nothing. */
async function figuresOf(store: Store, show: FoundShow, account_id: number) {
  if (show.kept) return show.kept.figures;
  const sheets = new ShowSheets({ store, monotonicMs });
  try {
    const { figures, unplaced } = await sheets.count(show, account_id, {});
    return { ...figures, unplaced };
  } finally {
    await sheets.stop();
  }
}
