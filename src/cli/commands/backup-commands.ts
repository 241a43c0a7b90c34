// `footlight backup`, `backup verify` and `restore`: everything there is as one file, and back.
import { basename } from 'node:path';
import pkg from '../../../package.json' with { type: 'json' };
import { makeBackup } from '../../backup/backup.ts';
import { BackupProblem } from '../../backup/backup-format.ts';
import { type ReadBackup, restoreBackup, verifyBackup } from '../../backup/restore.ts';
import { readDoneSteps } from '../../base/db/database-state.ts';
import { giveWay } from '../../base/lib/priority.ts';
import { addNote } from '../../library/audit/audit-store.ts';
import { disableRestored } from '../../library/webhooks/webhook-store.ts';
import { type Command, command } from '../parts/command.ts';
import { noteOf, settingsOf, withStore } from '../parts/command-database.ts';
import { CommandError } from '../parts/exit-codes.ts';
import { untilInterrupted } from '../parts/interrupt.ts';
import { flag, word } from '../parts/option.ts';
import type { Output } from '../parts/output.ts';
import type { Progress } from '../parts/progress.ts';
import { checkTarget, writeTo } from '../parts/target-file.ts';
import { file } from '../parts/value-kinds.ts';

export const backupCommands: readonly Command[] = [
  // First: its second word is no file of the other.
  command({
    name: 'backup verify',
    audit: 'nothing',
    sentence: 'Read a backup through: every byte, every checksum, every count.',
    more: 'No database is needed. The exit code is 1 where it is not whole.',
    words: { file: word(file, 'FILE', 'The backup.') },
    examples: ['backup verify monday.tar'],
    run: async ({ file }, { out }) => {
      await out.thing(shown(await followed(out, `reading ${file}`, file, verifyBackup)));
    },
  }),
  command({
    name: 'backup',
    audit: 'exports',
    isTaken: true,
    sentence: 'Write the database, with pictures and secrets, and the recordings to one file.',
    more: 'The service may run meanwhile: rows are those of one moment. The file is a tar of plain text and recordings, for your eyes alone. It holds people’s data and all secrets, so keep it as you keep the data folder. It is in the audit log.',
    words: { file: word(file, 'FILE', 'Where to; - for standard output.') },
    options: {
      'without-recordings': flag('Leave the files of videos out; their rows are taken along.'),
      force: flag('Replace a file that is there.'),
    },
    examples: ['backup monday.tar', 'backup monday.tar --without-recordings'],
    run: async ({ file: to, force, ...given }, run) => {
      const { config, out } = run;
      const isFile = to !== '-';
      await withStore(run, async (store) => {
        if (isFile) await checkTarget({ path: to, force, dataDir: config.dataDir });
        // Its row in the audit log is written before the moment that the backup is of.
        await store.perform(readDoneSteps, {});
      });
      const bars = new Bars(out);
      // To the shows that are on.
      giveWay();
      const made = await untilInterrupted((signal) =>
        writeTo({ to, force, dataDir: config.dataDir, out }, (write) =>
          makeBackup({
            ...{ settings: settingsOf(run), version: pkg.version, now: Date.now },
            timeZone: config.zone.name,
            withRecordings: !given['without-recordings'],
            write: async (bytes) => {
              goOnUnless(signal);
              await write(bytes);
            },
            onPart: (part, total) => bars.next(`backing up the ${part}`, total),
          }),
        ),
      ).finally(() => bars.end());
      const { at, rows, recordings, files, bytes } = made;
      if (isFile)
        await out.thing({
          ...{ file: to, at: new Date(at).toISOString() },
          ...{ rows: sumOf(rows), recordings, files, bytes },
        });
    },
  }),
];

export const restoreCommand = command({
  name: 'restore',
  audit: 'service',
  sentence: 'Bring a backup back: into a database without tables, and a data folder without one.',
  more: 'Into SQLite or PostgreSQL, whichever it was made of. Where the backup is not whole, or the place not empty, nothing is changed. The service must not run on it. What was live, growing or running when the backup was made is gone on with by the next start, as after a crash; uploads that had not come whole are begun anew by who sends them.',
  words: { file: word(file, 'FILE', 'The backup.') },
  options: {
    'webhooks-off': flag(
      'Switch every webhook off, as for a drill beside the service that the backup is of.',
    ),
  },
  examples: ['restore monday.tar', 'restore monday.tar --webhooks-off'],
  run: async ({ file, ...given }, run) => {
    const { out } = run;
    let switchedOff = 0;
    const settings = settingsOf(run);
    const restored = await followed(out, `restoring ${file}`, file, (source) =>
      restoreBackup({
        ...{ ...source, settings },
        note: async (sql) => {
          if (given['webhooks-off']) switchedOff = await disableRestored(sql);
          const told = {
            backup: basename(source.file),
            ...(switchedOff > 0 && { webhooks_off: String(switchedOff) }),
          };
          await addNote.run(sql, { ...noteOf(run.running), told });
        },
      }),
    );
    if (!restored.head.recordings)
      await out.remark(
        `The backup has no recordings: copy them to ${settings.dataDir}/recordings, or their videos cannot be played.`,
      );
    if (switchedOff > 0)
      await out.remark(
        `${switchedOff} webhooks are switched off (\`restored\`): their owners switch them on again.`,
      );
    await out.thing(shown(restored));
  },
});

type Source = Parameters<typeof verifyBackup>[0];

/** With a bar, and with what is wrong as an exit code. */
async function followed(
  out: Output,
  what: string,
  path: string,
  work: (source: Source) => Promise<ReadBackup>,
): Promise<ReadBackup> {
  const bars = new Bars(out);
  let onDone: ((done: number) => void) | undefined;
  try {
    return await untilInterrupted((signal) => {
      const onRead = (done: number, total: number) => {
        goOnUnless(signal);
        onDone ??= bars.next(what, total);
        onDone(done);
      };
      return work({ file: path, onRead });
    });
  } catch (error) {
    if (!(error instanceof BackupProblem)) throw error;
    throw new CommandError(error.isDamage ? 'failed' : 'refused', `${path}: ${error.message}`);
  } finally {
    bars.end();
  }
}

/** Nothing is left of what was begun. */
function goOnUnless(signal: AbortSignal): void {
  if (signal.aborted) throw new CommandError('failed', 'broken off: nothing was made');
}

function shown({ head, rows, recordings, files, bytes }: ReadBackup): object {
  const { version, at, engine, time_zone } = head;
  return { version, at, engine, time_zone, rows: sumOf(rows), recordings, files, bytes };
}

function sumOf(rows: Record<string, number>): number {
  return Object.values(rows).reduce((sum, count) => sum + count, 0);
}

/** One after the other. */
class Bars {
  private readonly out: Output;

  private last: Progress | undefined;

  constructor(out: Output) {
    this.out = out;
  }

  next(what: string, total: number): (done: number) => void {
    this.end();
    const bar = this.out.progress({ what, unit: 'bytes', total });
    this.last = bar;
    return (done) => bar.update(done);
  }

  end(): void {
    this.last?.end();
  }
}
