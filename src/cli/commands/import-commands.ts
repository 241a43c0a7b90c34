// `footlight import videos|sessions`: brings the history of another platform.
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { importOperations } from '../../audience/records/session-import-store.ts';
import type { ImportOptions, ImportReport } from '../../base/api/line-import.ts';
import type { Store } from '../../base/db/sql.ts';
import { ndjsonLines } from '../../base/lib/ndjson.ts';
import { watchedChannel } from '../../library/channels/watched-channel-store.ts';
import { type Command, command, type Run } from '../parts/command.ts';
import { withStore } from '../parts/command-database.ts';
import { exitCodes, notFound, UsageError } from '../parts/exit-codes.ts';
import { type Kind, needed, several, usually, word } from '../parts/option.ts';
import { file, whole } from '../parts/value-kinds.ts';

const channelPair: Kind<readonly [number, number]> = {
  value: 'OLD=NEW',
  read: (text, named) => {
    const [, from, to] = /^(\d{1,15})=(\d{1,15})$/.exec(text) ?? [];
    if (!from || !to) throw new UsageError(`${named} must be such as 812=3 (got "${text}")`);
    return [Number(from), Number(to)];
  },
};

const fileWord = word(file, 'FILE', 'An NDJSON file; - for standard input.');

export const importCommands: readonly Command[] = [
  command({
    name: 'import videos',
    audit: 'videos',
    sentence: 'Bring recorded videos from an NDJSON file; a second run adds nothing.',
    words: { file: fileWord },
    options: {
      account: usually(whole, '1', 'Into which account.'),
      channel: several(channelPair, 'What is of channel OLD there is of channel NEW here.'),
    },
    examples: ['import videos videos.ndjson --channel 812=3'],
    run: async ({ file, account: account_id, channel }, run) => {
      const { lines, finish } = await openLines(file, run.out);
      // The checks of a line are much code to load, and no other command needs them.
      const { importVideos } = await import('../../library/videos/video-import.ts');
      const { zone } = run.config;
      const channels = new Map(channel);
      const report = await withStore(run, (store) =>
        importVideos(store, { account_id, channels, zone, ...lines }),
      );
      return await finish(report);
    },
  }),
  command({
    name: 'import sessions',
    audit: 'viewers',
    sentence: 'Bring watch records of a channel from an NDJSON file; a second run adds nothing.',
    words: { file: fileWord },
    options: { channel: needed(whole, 'Into which channel.') },
    examples: ['import sessions sessions.ndjson --channel 3'],
    run: async ({ file, channel: channel_id }, run) => {
      const { lines, finish } = await openLines(file, run.out);
      const { importSessions } = await import('../../audience/records/session-import.ts');
      const { zone } = run.config;
      const imported = async (store: Store) => {
        await checkChannel(store, channel_id);
        return await importSessions(store, { channel_id, zone, now: Date.now(), ...lines });
      };
      return await finish(await withStore(run, imported, { more: importOperations }));
    },
  }),
];

async function openLines(path: string, out: Run['out']) {
  const total = path === '-' ? undefined : (await stat(path)).size;
  const source = path === '-' ? undefined : createReadStream(path, { highWaterMark: 1 << 20 });
  const what = path === '-' ? 'reading standard input' : `reading ${basename(path)}`;
  const progress = out.progress({ what, unit: source ? 'bytes' : 'lines', total });
  const lines: ImportOptions = {
    batches: ndjsonLines(source ?? Bun.stdin.stream()),
    onBad: (line, problem) => void out.warning({ line, message: `line ${line}: ${problem}` }),
    onProgress: ({ lines, added, bad }, doing) =>
      progress.update(
        source ? source.bytesRead : lines,
        `${lines} lines, ${bad} bad, ${added} added (${doing})`,
      ),
  };
  /** The sums as one line; the exit code tells whether every line was good. */
  const finish = async (report: ImportReport): Promise<number> => {
    progress.end();
    await out.thing(report);
    return report.bad > 0 ? exitCodes.failed.code : exitCodes.done.code;
  };
  return { lines, finish };
}

async function checkChannel(store: Store, id: number): Promise<void> {
  if (!(await watchedChannel(store, id))) throw notFound(`there is no channel ${id}`);
}
