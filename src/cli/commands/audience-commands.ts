// `footlight audience visitors|sessions|export`: who watched a channel, by the interface's own filters and fields.
import {
  type Export,
  type ExportFormat,
  openExport,
} from '../../audience/records/audience-export.ts';
import { sessionPage, visitorPage } from '../../audience/records/audience-page-store.ts';
import { enteredWithin, periodFields, watchRecordView } from '../../audience/records/session.ts';
import { visitorView } from '../../audience/records/visitor.ts';
import type { Pieces } from '../../base/api/pieces.ts';
import { readPart } from '../../base/api/shape.ts';
import type { Store } from '../../base/db/sql.ts';
import type { Zone } from '../../base/lib/time.ts';
import { channelThing } from '../../library/admission/admission.ts';
import { openRegistrations } from '../../library/admission/registration-export.ts';
import { listRegistrations } from '../../library/admission/registration-store.ts';
import {
  accountOfChannel,
  type ChannelRow,
  findChannel,
} from '../../library/channels/channel-store.ts';
import { type Command, command, type Run } from '../parts/command.ts';
import { printAll, withStore } from '../parts/command-database.ts';
import { UsageError } from '../parts/exit-codes.ts';
import { flag, needed, option, usually } from '../parts/option.ts';
import { checkTarget, writePieces } from '../parts/target-file.ts';
import { exact, file, oneOf, whole } from '../parts/value-kinds.ts';

const channel = needed(whole, 'Of which channel.');
const time = { ...exact, value: 'TIME' };
const period = {
  'start-time': option(
    time,
    'Only who entered from then on, as "2026-05-01 19:30:00" in TIME_ZONE.',
  ),
  'end-time': option(time, 'Only who entered until then.'),
};
const count = usually(whole, '100', 'How many at most; 0 for all.');

export const audienceCommands: readonly Command[] = [
  command({
    name: 'audience visitors',
    audit: 'nothing',
    sentence: 'The visitors of a channel, by their first entry.',
    options: {
      channel,
      filter: usually(oneOf(['0', '1']), '0', '1 leaves out who watched for less than a minute.'),
      direction: usually(oneOf(['desc', 'asc']), 'desc', 'The newest first, or the oldest.'),
      count,
    },
    examples: ['audience visitors --channel 7 --filter 1 --count 20'],
    run: async ({ channel: id, filter, direction, count }, run) => {
      await onChannel(run, id, async (store, channel) => {
        const { account_id, id: channel_id } = channel;
        const asked = { account_id, channel_id, filtered: filter === '1', direction };
        await printAll(run.out, {
          read: (page) => store.perform(visitorPage, { ...asked, ...page }),
          shown: (row) => visitorView(row, channel, run.config.zone),
          columns: ['visitor_id', 'nick', 'addr', 'watch_time', 'visit_times', 'first_login_time'],
          ...(count > 0 && { count }),
        });
      });
    },
  }),
  command({
    name: 'audience sessions',
    audit: 'nothing',
    sentence: 'The watch records of a channel, the newest first.',
    options: {
      channel,
      ...period,
      'filter-watch-time': usually(oneOf(['1', '0']), '1', '1 leaves out who did not watch.'),
      count,
    },
    examples: ['audience sessions --channel 7 --start-time "2026-05-01 19:00:00"'],
    run: async ({ channel: id, count, ...given }, run) => {
      const entered = periodOf(given, run);
      await onChannel(run, id, async (store, { account_id, id: channel_id }) => {
        const filtered = given['filter-watch-time'] === '1';
        const asked = { account_id, channel_id, filtered, direction: 'desc', ...entered } as const;
        await printAll(run.out, {
          read: (page) => store.perform(sessionPage, { ...asked, ...page }),
          shown: (row) => watchRecordView(row, run.config.zone),
          columns: [
            'user_id',
            'nick',
            'addr',
            'watch_time',
            'first_login_time',
            'device',
            'browser',
          ],
          ...(count > 0 && { count }),
        });
      });
    },
  }),
  command({
    name: 'audience export',
    audit: 'exports',
    isTaken: true,
    sentence:
      'All visitors, watch records or registrations of a channel as a file, the oldest first.',
    more: 'It is in the audit log.',
    options: {
      channel,
      of: needed(
        oneOf(['sessions', 'visitors', 'registrations']),
        'Watch records, visitors, or who has filled in its form.',
      ),
      format: option(
        oneOf(['csv', 'ndjson']),
        'A table, or a JSON object a line; without it csv, and with --json ndjson.',
      ),
      ...period,
      to: option(file, 'Where to; without it, or with -, standard output.'),
      force: flag('Replace a file that is there.'),
    },
    examples: ['audience export --channel 7 --of visitors --to visitors.csv'],
    run: async ({ channel: id, of, to, force, ...given }, run) => {
      const { out, config } = run;
      const { format = out.isJson ? 'ndjson' : 'csv' } = given;
      const entered = periodOf(given, run);
      if (of !== 'sessions' && Object.values(entered).some((at) => at !== undefined))
        throw new UsageError('--start-time and --end-time are for sessions');
      const isFile = to !== undefined && to !== '-';
      if (out.isJson && !isFile && format === 'csv')
        throw new UsageError('--json prints no CSV: give --to, or --format ndjson');
      if (isFile) await checkTarget({ path: to, force, dataDir: config.dataDir });
      const rows = await onChannel(run, id, async (store, channel) => {
        // Noted before anything is read.
        const { next, total } = await openRows(
          { store, zone: config.zone },
          { channel, of, format, entered },
        );
        const progress = out.progress({ what: `${of} of channel ${id}`, unit: 'rows', total });
        let lines = format === 'csv' ? -1 : 0;
        const counted = async () => {
          const piece = await next();
          for (const character of piece ?? '') if (character === '\n') lines += 1;
          progress.update(Math.max(0, lines));
          return piece;
        };
        await writePieces(counted, { to, force, dataDir: config.dataDir, out }).finally(() =>
          progress.end(),
        );
        return lines;
      });
      if (isFile) await out.thing({ id, file: to, rows });
    },
  }),
];

/** The rows of a file, and how many there are. */
async function openRows(
  parts: { store: Store; zone: Zone },
  given: {
    channel: Export['channel'];
    of: 'sessions' | 'visitors' | 'registrations';
    format: ExportFormat;
    entered: ReturnType<typeof periodOf>;
  },
): Promise<{ next: Pieces; total: number }> {
  const { store } = parts;
  const { channel, of, format, entered } = given;
  const asked = { account_id: channel.account_id, channel_id: channel.id };
  const none = { limit: 0, offset: 0 } as const;
  if (of === 'registrations') {
    const place = { ...asked, thing: channelThing(channel.id) };
    const next = await openRegistrations(parts, { ...place, format });
    return { next, total: (await store.perform(listRegistrations, { ...place, ...none })).total };
  }
  const kind = of === 'sessions' ? 'session' : 'visitor';
  const next = await openExport(parts, { channel, kind, format, ...entered });
  const counted = { ...asked, ...entered, ...none, filtered: false, direction: 'asc' } as const;
  const { total } =
    kind === 'session'
      ? await store.perform(sessionPage, counted)
      : await store.perform(visitorPage, counted);
  return { next, total };
}

/** As the interface reads them, with its words where they cannot be read. */
function periodOf(
  given: { 'start-time': string | undefined; 'end-time': string | undefined },
  { config }: Run,
) {
  const came = { start_time: given['start-time'], end_time: given['end-time'] };
  return enteredWithin(readPart(periodFields(config.zone), came));
}

/** The daily limit of calls is for who asks by the interface, not for whose machine it is. */
async function onChannel<T>(
  run: Run,
  id: number,
  work: (store: Store, channel: ChannelRow) => Promise<T>,
): Promise<T> {
  return await withStore(
    run,
    async (store) => {
      const account_id = await accountOfChannel(store, id);
      return await work(store, await findChannel(store, id, { account_id, manager_id: 0 }));
    },
    { note: { target: { kind: 'channel', id } } },
  );
}
