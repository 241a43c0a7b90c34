// `footlight import videos|sessions`: brings the history of another platform.
import { createReadStream } from 'node:fs';
import { access } from 'node:fs/promises';
import { importOperations } from '../audience/records/session-import-store.ts';
import type { ImportOptions, ImportReport } from '../base/api/line-import.ts';
import type { Store } from '../base/db/sql.ts';
import { ndjsonLines } from '../base/lib/ndjson.ts';
import { watchedChannel } from '../library/channels/watched-channel-store.ts';
import {
  type Command,
  printLine,
  readOptions,
  required,
  UsageError,
  wholeNumber,
  withStore,
} from './command.ts';

export const importCommands: Command[] = [
  {
    name: 'import videos',
    audit: 'videos',
    usage: 'import videos [--account N] [--channel OLD=NEW]… FILE',
    sentence:
      'Bring recorded videos from an NDJSON file (- for standard input); a second run adds nothing.',
    run: async (words, config) => {
      const { options, rest } = readOptions(words, ['account'], {
        many: ['channel'],
        rest: ['FILE'],
      });
      const account_id = wholeNumber(options.account ?? '1', '--account');
      const channels = channelMap(options.channel ?? []);
      const lines = await openLines(rest[0] ?? '');
      // The checks of a line are much code to load, and no other command needs them.
      const { importVideos } = await import('../library/videos/video-import.ts');
      const report = await withStore(config, (store) =>
        importVideos(store, { account_id, channels, zone: config.zone, ...lines }),
      );
      return finish(report);
    },
  },
  {
    name: 'import sessions',
    audit: 'viewers',
    usage: 'import sessions --channel N FILE',
    sentence:
      'Bring watch records of a channel from an NDJSON file (- for standard input); a second run adds nothing.',
    run: async (words, config) => {
      const { options, rest } = readOptions(words, ['channel'], { rest: ['FILE'] });
      const channel_id = wholeNumber(required(options.channel, '--channel'), '--channel');
      const lines = await openLines(rest[0] ?? '');
      const { importSessions } = await import('../audience/records/session-import.ts');
      const imported = async (store: Store) => {
        await checkChannel(store, channel_id);
        const now = Date.now();
        return await importSessions(store, { channel_id, zone: config.zone, now, ...lines });
      };
      const report = await withStore(config, imported, importOperations);
      return finish(report);
    },
  },
];

/** Progress is shown this often on a terminal, and rarely in a log. */
const shownEveryMs = process.stderr.isTTY ? 200 : 5_000;

async function openLines(file: string): Promise<ImportOptions> {
  if (file !== '-') await access(file);
  const startedAt = performance.now();
  let shownAt = startedAt;
  return {
    batches: ndjsonLines(
      file === '-' ? Bun.stdin.stream() : createReadStream(file, { highWaterMark: 1 << 20 }),
    ),
    onBad: (line, problem) => console.error(`line ${line}: ${problem}`),
    onProgress: ({ lines, added, bad }, doing) => {
      const now = performance.now();
      if (now - shownAt < shownEveryMs) return;
      shownAt = now;
      const text = `${lines} lines read, ${bad} bad, ${added} added (${doing}), ${Math.round((now - startedAt) / 1000)} s`;
      process.stderr.write(process.stderr.isTTY ? `\r${text}\u001b[K` : `${text}\n`);
    },
  };
}

/** The sums as one JSON line; the exit code tells whether every line was good. */
function finish(report: ImportReport): number {
  if (process.stderr.isTTY) process.stderr.write('\r\u001b[K');
  printLine(report);
  return report.bad > 0 ? 1 : 0;
}

async function checkChannel(store: Store, id: number): Promise<void> {
  if (!(await watchedChannel(store, id))) throw new Error(`there is no channel ${id}`);
}

function channelMap(pairs: string[]): Map<number, number> {
  return new Map(
    pairs.map((pair) => {
      const [, from, to] = /^(\d{1,15})=(\d{1,15})$/.exec(pair) ?? [];
      if (!from || !to) throw new UsageError(`--channel must be such as 812=3 (got "${pair}")`);
      return [Number(from), Number(to)];
    }),
  );
}
