// A backup that is cut, bent, hostile, older or newer; and places that are not empty: refused, with nothing left behind.
import { beforeAll, describe, expect, test } from 'bun:test';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Engine, engines, temporaryFolder } from '../../test/support/engines.ts';
import { seeded } from '../../test/support/random.ts';
import { asking, type DatabaseSettings } from '../../test/support/snapshot.ts';
import { newSeed } from '../../test/support/trial.ts';
import { allRows } from '../../test/support/whole-place.ts';
import { migrations } from '../base/db/migrations.ts';
import { takeServiceLock } from '../base/db/service-lock.ts';
import { type Sql, write } from '../base/db/sql.ts';
import { migrateDatabase, openUnchanged, type StoreSettings } from '../base/db/store.ts';
import { makeBackup } from './backup.ts';
import { type BackupHead, BackupProblem, entryNames } from './backup-format.ts';
import { BackupWriter } from './backup-writer.ts';
import { restoreBackup, verifyBackup } from './restore.ts';
import { blockBytes, entryHead, fillBytes } from './tar.ts';

const [sqlite, postgres] = engines as [Engine, Engine];
const at = Date.UTC(2026, 4, 4, 12);
const folder = 'abc-0123456789abcdef';

/** A small backup with everything in it that a reader tells apart. */
const whole: { bytes: Buffer; head: BackupHead } = {
  bytes: Buffer.alloc(0),
  head: {} as BackupHead,
};

beforeAll(async () => {
  const place = await sqlite.fresh();
  const files = { 'recording.json': '{}', 'source.index': '', 'source.mp4': 'x'.repeat(600) };
  const recording = join(place.DATA_DIR, 'recordings', folder);
  mkdirSync(recording, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(recording, name), text);
  // No names of ours: they stay behind.
  writeFileSync(join(recording, 'video.mp4.tmp-0123'), 'half');
  writeFileSync(join(place.DATA_DIR, 'node-name'), 'the-old-one\n');
  whole.bytes = await backupOf(place, { steps: migrations.length });
  whole.head = JSON.parse(entryOf(whole.bytes, entryNames.head).toString());
});

test('a whole one is read, with its counts', async () => {
  expect(await verified(whole.bytes)).toMatchObject({
    rows: { accounts: 1, channels: 2 },
    ...{ recordings: 1, files: 3 },
  });
});

test('one that is cut anywhere is not whole', async () => {
  const random = seeded(newSeed());
  const blocks = Array.from({ length: whole.bytes.length / blockBytes }, (_, n) => n * blockBytes);
  const anywhere = Array.from({ length: 100 }, () => random.whole(0, whole.bytes.length - 1));
  for (const length of [...blocks, ...anywhere])
    await expectRefused(length, verified(whole.bytes.subarray(0, length)));
});

test('one with a bent bit anywhere is not whole', async () => {
  const random = seeded(newSeed());
  for (let tries = 0; tries < 300; tries++) {
    const bent = Buffer.from(whole.bytes);
    const place = random.whole(0, bent.length - 1);
    bent[place] = (bent[place] ?? 0) ^ (1 << random.whole(0, 7));
    await expectRefused(place, verified(bent));
  }
});

/** Blocks that are put before the last entry, as whoever wants to harm would. */
const strange: Record<string, () => Uint8Array> = {
  'an entry too many': () => entry('recordings/more/source.mp4', 'more'),
  'a name that leads elsewhere': () => bentName('recordings/../../x.mp4'),
  'a folder above': () => bentName('../x'),
  'an absolute name': () => bentName('/etc/cron.d/x'),
  'a name of ours that none has': () => entry('recordings/x/.bashrc', ''),
  'a link': () => bentHead((head) => head.write('2/etc/passwd', 156, 'latin1')),
  'a device': () => bentHead((head) => head.write('3', 156, 'latin1')),
  'another owner, who may do all': () => bentHead((head) => head.write('0004777', 100, 'latin1')),
  'more bytes than there are': () => bentHead((head) => head.write('77777777777', 124, 'latin1')),
  'a size that is none': () => bentHead((head) => head.write('-0000000001', 124, 'latin1')),
};

test.each(Object.entries(strange))('%s is refused, and leaves nothing', async (_, blocks) => {
  const end = whole.bytes.lastIndexOf(Buffer.from(entryNames.end));
  const sums = whole.bytes.lastIndexOf(Buffer.from(entryNames.checksums(1)));
  for (const before of [sums, end, whole.bytes.length]) {
    const parts = [whole.bytes.subarray(0, before), blocks(), whole.bytes.subarray(before)];
    await expectNothingLeft(sqlite, Buffer.concat(parts));
  }
});

type Lie = (writer: BackupWriter, head: BackupHead) => Promise<void>;

/** Whole, with right checksums, and yet nothing that this program writes. */
const lies: Record<string, Lie> = {
  'tables that are not ours': async (writer, head) => {
    const tables = [{ name: 'sqlite_master', columns: ['name'] }];
    await writer.entry(entryNames.head, JSON.stringify({ ...head, tables }));
  },
  'columns that are not ours': async (writer, head) => {
    const tables = [{ name: 'accounts', columns: ['id', 'name) SELECT (1'] }];
    await writer.entry(entryNames.head, JSON.stringify({ ...head, tables }));
  },
  'rows that name what is not there': async (writer, head) => {
    await writer.entry(entryNames.head, JSON.stringify(head));
    await writer.entry(entryNames.rows('managers', 1), '[7,99,"anna",0]\n');
  },
  'a row of too few values': async (writer, head) => {
    await writer.entry(entryNames.head, JSON.stringify(head));
    await writer.entry(entryNames.rows('marks', 1), '["x"]\n');
  },
  'text for a number': async (writer, head) => {
    await writer.entry(entryNames.head, JSON.stringify(head));
    await writer.entry(entryNames.rows('marks', 1), '["x","1"]\n');
  },
  'pieces out of order': async (writer, head) => {
    await writer.entry(entryNames.head, JSON.stringify(head));
    await writer.entry(entryNames.rows('marks', 2), '["x",1]\n');
  },
  'a time zone with a path': async (writer, head) => {
    await writer.entry(entryNames.head, JSON.stringify({ ...head, time_zone: '../../etc/passwd' }));
  },
  'a name for the service with a path': async (writer, head) => {
    await writer.entry(entryNames.head, JSON.stringify({ ...head, node: '../x' }));
  },
};

/** Names of files that a row may not hold: the service would read and remove what they lead to. */
const elsewhere = [
  '',
  '.',
  '..',
  '../../bait',
  '/tmp/bait',
  'a/b',
  'a\\b',
  'a\0',
  '.hidden',
  'a b',
];

test.each([
  ['videos', 'recording'],
  ['segments', 'push'],
  ['recorded_objects', 'recording'],
  ['recording_stints', 'recording'],
  ['uploads', 'recording'],
  ['uploads', 'id'],
  ['images', 'id'],
])(
  'a row of %s whose %s leads elsewhere is damage, also to who only reads',
  async (table, column) => {
    const columns = whole.head.tables.find(({ name }) => name === table)?.columns ?? [];
    const row = (value: string) => columns.map((name) => (name === column ? value : null));
    for (const name of elsewhere) {
      const bytes = await told(async (writer, head) => {
        await writer.entry(entryNames.head, JSON.stringify(head));
        const lines = [row('mb1-0123456789abcdef'), row(name)].map((one) => JSON.stringify(one));
        await writer.entry(entryNames.rows(table, 1), `${lines.join('\n')}\n`);
      });
      const said = `row 2 of ${table} cannot be read: its ${column} is no name of a file of ours`;
      await expect(verified(bytes)).rejects.toThrow(said);
      await expectNothingLeft(sqlite, bytes);
    }
  },
);

test.each([
  ['secrets', 'value', 'x', 'is no secret of ours'],
  ['secrets', 'value', '', 'is no secret of ours'],
  ['channels', 'page', '{not json', 'is no JSON object'],
  ['channels', 'page', '[]', 'is no JSON object'],
  ['channels', 'page', 'null', 'is no JSON object'],
  ['accounts', 'name', 'a\0b', 'holds a NUL'],
  ['persons', 'user_name', '\0', 'holds a NUL'],
  ['accounts', 'name', 'a\ud800b', 'holds half a character'],
  ['chat_messages', 'text', '\udc00', 'holds half a character'],
  ['images', 'type', 'text/html', 'is no type of a picture'],
  ['video_captions', 'language', '../en', 'is no language'],
  ['video_captions', 'language', 'EN', 'is no language'],
  ['segments', 'key', 'rec/../other', 'is no name of an object of ours'],
  ['recorded_objects', 'key', '/etc/passwd', 'is no name of an object of ours'],
])('a row of %s whose %s is %j is damage that is named', async (table, column, value, problem) => {
  const columns = whole.head.tables.find(({ name }) => name === table)?.columns ?? [];
  const row = (is: string | null) =>
    JSON.stringify(columns.map((one) => (one === column ? is : null)));
  const bytes = await told(async (writer, head) => {
    await writer.entry(entryNames.head, JSON.stringify(head));
    // Numbers go on from one piece to the next.
    await writer.entry(entryNames.rows(table, 1), `${row(null)}\n${row(null)}\n`);
    await writer.entry(entryNames.rows(table, 2), `${row(value)}\n`);
  });
  const said = `row 3 of ${table} cannot be read: its ${column} ${problem}`;
  await expect(verified(bytes)).rejects.toThrow(said);
});

test.each(Object.entries(lies))('%s: refused', async (_, tell) => {
  await expectNothingLeft(sqlite, await told(tell));
});

for (const engine of engines)
  describe(`into ${engine.name}`, () => {
    test('one whose rows contradict others, or its end, leaves nothing', async () => {
      const tell = lies['rows that name what is not there'];
      await expectNothingLeft(engine, await told(tell as Lie));
      const bent = Buffer.from(whole.bytes);
      bent[bent.length - 1] = 1;
      await expectNothingLeft(engine, bent);
    });

    test('one of older tables is brought up to date', async () => {
      // Before channels had folded names.
      const steps = migrations.findIndex(({ name }) => name === 'states and names of channels');
      const older = await backupOf(await sqlite.fresh(), { steps });
      const place = await engine.fresh();
      expect((await restored(older, place)).head.step).toBe(steps);
      const found = await asking(place, (ask) => ask('SELECT id, folded_name FROM channels'));
      expect(found.map(({ id, folded_name }) => [Number(id), folded_name])).toEqual([
        [3, 'ünï'],
        [9, "o'neill"],
      ]);
      const done = await asking(place, (ask) => ask('SELECT MAX(step) AS step FROM migrations'));
      expect(Number(done[0]?.['step'])).toBe(migrations.length);
    });

    test('what a killed one has left does not matter', async () => {
      const place = await engine.fresh();
      for (const left of ['restoring', 'recordings/.restoring']) {
        mkdirSync(join(place.DATA_DIR, left), { recursive: true });
        writeFileSync(join(place.DATA_DIR, left, 'footlight.db'), 'half');
      }
      await restored(whole.bytes, place);
      expect((await allRows(place))['channels']).toHaveLength(2);
      expect(readdirSync(join(place.DATA_DIR, 'recordings'))).toEqual([folder]);
      expect(readdirSync(place.DATA_DIR)).not.toContain('restoring');
      expect(readFileSync(join(place.DATA_DIR, 'node-name'), 'utf8')).toBe('the-old-one\n');
    });
  });

describe('refused with a sentence', () => {
  test.each([
    ['no backup', Buffer.from('<!doctype html>'.repeat(100)), 'it is no backup of Footlight'],
    ['nothing', Buffer.alloc(0), 'it is no backup of Footlight'],
    ['zeros', Buffer.alloc(4_096), 'it is no backup of Footlight'],
  ])('%s', async (_, bytes, sentence) => {
    await expect(verified(bytes)).rejects.toThrow(sentence);
  });

  test('one of a newer program', async () => {
    const place = await sqlite.fresh();
    const newer = await backupOf(place, { steps: migrations.length, isNewer: true });
    await expect(restored(newer, await sqlite.fresh())).rejects.toThrow('by a newer Footlight');
    const later = Buffer.from(whole.bytes);
    later.write('"format":2', later.indexOf('"format":1'), 'latin1');
    await expect(verified(later)).rejects.toThrow('its format is 2');
  });

  test('a place where a service runs', async () => {
    const place = await sqlite.fresh();
    const lock = takeServiceLock(join(place.DATA_DIR, 'service.lock'));
    await expect(restored(whole.bytes, place)).rejects.toThrow('a Footlight is running');
    lock?.release();
    await restored(whole.bytes, place);
  });

  test('a place with recordings, which are as they were', async () => {
    const place = await sqlite.fresh();
    mkdirSync(join(place.DATA_DIR, 'recordings', 'other'), { recursive: true });
    await expect(restored(whole.bytes, place)).rejects.toThrow('there are recordings');
    expect(readdirSync(place.DATA_DIR)).toEqual(['recordings']);
    expect(readdirSync(join(place.DATA_DIR, 'recordings'))).toEqual(['other']);
  });

  test('a database with tables', async () => {
    for (const engine of engines) {
      const place = await engine.fresh();
      await migrateDatabase(settingsOf(place), migrations.slice(0, 1));
      await expect(restored(whole.bytes, place)).rejects.toThrow('a backup is restored where');
    }
  });
});

function settingsOf({ DATA_DIR, DATABASE_URL }: DatabaseSettings): StoreSettings {
  const bounds = { deadlineMs: 10_000, connectionsMax: 1 };
  return { dataDir: DATA_DIR, databaseUrl: DATABASE_URL, ...bounds };
}

/** Of two channels, on tables up to so many steps. */
async function backupOf(
  place: DatabaseSettings,
  { steps, isNewer = false }: { steps: number; isNewer?: boolean },
): Promise<Buffer> {
  const settings = settingsOf(place);
  await migrateDatabase(settings, migrations.slice(0, steps));
  const fill = write('test.fill', async (sql: Sql) => {
    await sql.run(`INSERT INTO accounts (id, name, plan, auto_save_live_video, viewer_secret, created_at)
      VALUES (1, 'one', 'traffic', 1, 'secret', 5)`);
    const channels = [
      [3, 'Ünï'],
      [9, "O'Neill"],
    ] as const;
    for (const [id, name] of channels)
      await sql.run(
        `INSERT INTO channels (id, account_id, manager_id, name, page, stream_key, play_id, created_at)
         VALUES ($1, 1, 0, $2, '{}', $3, $3, 5)`,
        [id, name, `key ${id}`],
      );
    if (isNewer) await sql.run("INSERT INTO migrations (step, name) VALUES (9999, 'later')");
  });
  const store = await openUnchanged(settings, { operations: [fill as never], readOnly: false });
  await store.perform(fill, undefined as never);
  await store.close();
  const pieces: Uint8Array[] = [];
  await makeBackup({
    ...{ settings, version: '1.2.3', timeZone: 'UTC', withRecordings: true, now: () => at },
    write: async (piece) => void pieces.push(piece),
    onPart: () => () => {},
  });
  return Buffer.concat(pieces);
}

function fileOf(bytes: Uint8Array) {
  const file = join(temporaryFolder(), 'backup.tar');
  writeFileSync(file, bytes);
  return { file, onRead: () => {} };
}

async function verified(bytes: Uint8Array) {
  return await verifyBackup(fileOf(bytes));
}

async function restored(bytes: Uint8Array, place: DatabaseSettings) {
  return await restoreBackup({
    ...fileOf(bytes),
    settings: settingsOf(place),
    note: async () => {},
  });
}

async function told(tell: Lie): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  const writer = new BackupWriter({ write: async (piece) => void pieces.push(piece), at });
  await tell(writer, whole.head);
  await writer.entry(entryNames.sequences, '{}');
  await writer.end();
  return Buffer.concat(pieces);
}

/** `what` is shown where it was not. */
async function expectRefused(what: unknown, promise: Promise<unknown>): Promise<void> {
  const outcome = await promise.then(
    () => 'read',
    (error) => (error instanceof BackupProblem ? 'refused' : error),
  );
  expect({ what, outcome }).toEqual({ what, outcome: 'refused' });
}

async function expectNothingLeft(engine: Engine, bytes: Uint8Array): Promise<void> {
  const { DATA_DIR, DATABASE_URL } = await placeOf(engine);
  const place = { DATA_DIR: join(DATA_DIR, 'data'), DATABASE_URL };
  await expectRefused('', restored(bytes, place));
  expect(readdirSync(DATA_DIR)).toEqual([]);
  if (DATABASE_URL !== '')
    expect(
      await asking(place, (ask) =>
        ask('SELECT tablename FROM pg_tables WHERE schemaname = current_schema()'),
      ),
    ).toEqual([]);
}

/** Nothing is left in it, so one database of PostgreSQL does for all. */
const shared: { place?: DatabaseSettings } = {};
async function placeOf(engine: Engine): Promise<DatabaseSettings> {
  if (engine === sqlite) return await engine.fresh();
  shared.place ??= await postgres.fresh();
  return shared.place;
}

/** The bytes of an entry. */
function entryOf(tar: Buffer, name: string): Buffer {
  const from = tar.indexOf(Buffer.from(`${name}\0`));
  const size = Number.parseInt(tar.toString('latin1', from + 124, from + 135), 8);
  return tar.subarray(from + blockBytes, from + blockBytes + size);
}

const changedAt = Math.floor(at / 1000);

function entry(name: string, text: string): Uint8Array {
  const size = text.length;
  const bytes = Buffer.alloc(size + fillBytes(size));
  bytes.write(text);
  return Buffer.concat([entryHead({ name, size, changedAt }), bytes]);
}

function bentName(name: string): Uint8Array {
  return bentHead((head) => head.fill(0, 0, 100).write(name, 0, 'latin1'));
}

/** A head that is otherwise right, with its own checksum. */
function bentHead(bend: (head: Buffer) => void): Uint8Array {
  const head = Buffer.from(entryHead({ name: 'recordings/x/source.mp4', size: 0, changedAt }));
  bend(head);
  head.write('        ', 148, 'latin1');
  const sum = head.reduce((all, byte) => all + byte, 0);
  head.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return head;
}
