// The doctor on the database: reachable, of which version, up to date, and how long a commit takes.
import { commitNothing, databaseClock, databaseVersion } from '../../base/db/database-checkup.ts';
import { AbsentDatabase, doneSteps } from '../../base/db/database-state.ts';
import { checkNotNewer } from '../../base/db/migrate.ts';
import { migrations } from '../../base/db/migrations.ts';
import type { Store } from '../../base/db/sql.ts';
import { openUnchanged } from '../../base/db/store.ts';
import { bucketClash } from '../../base/nodes/node-bucket.ts';
import { knownNodeName } from '../../base/nodes/node-name.ts';
import { silentMsMax } from '../../base/nodes/node-state.ts';
import { nodesNow } from '../../base/nodes/node-store.ts';
import type { Config } from '../../config.ts';
import { nodeBucketOf } from '../../settings/bucket-settings.ts';
import { sentenceOf } from '../parts/exit-codes.ts';
import { type Finding, findings, middleOf, msText } from './doctor-finding.ts';

const tell = findings('database');
/** Each write of the service waits for one, though many share it. */
const slowCommitMs = 50;
const commits = 5;
/** Beyond it times in records and the ends of tokens are off; a lease of a job is 30 s. */
const clockOffMs = 2_000;
const clockWrongMs = 30_000;

export async function databaseFindings(config: Config): Promise<Finding[]> {
  const { databaseUrl, dataDir } = config;
  const settings = { databaseUrl, dataDir, deadlineMs: 0, connectionsMax: 1 };
  let store: Store | undefined;
  try {
    store = await openUnchanged(settings, { operations: [], readOnly: true });
    return [...(await lookAt(store)), ...(await nodeFindings(store, config))];
  } catch (error) {
    if (error instanceof AbsentDatabase)
      return [tell.warning(error.message, 'Nothing, where the service was never started here.')];
    const what = databaseUrl === '' ? 'the data folder' : 'PostgreSQL';
    return [
      tell.failed(
        `it cannot be opened: ${sentenceOf(error)}`,
        `See that ${what} is there and that the user who runs this may use it${databaseUrl === '' ? '.' : '; DATABASE_URL names host, port, user, password and database.'}`,
      ),
    ];
  } finally {
    await store?.close();
  }
}

async function lookAt(store: Store): Promise<Finding[]> {
  const version = await databaseVersion(store);
  const name = store.dialect === 'sqlite' ? 'SQLite' : 'PostgreSQL';
  return [
    tell.ok(`${name} ${version} answers`),
    await stepFinding(store),
    ...(await commitFindings(store)),
    ...(await clockFindings(store)),
  ];
}

async function stepFinding(store: Store): Promise<Finding> {
  const done = await doneSteps(store);
  const known = migrations.length;
  if (done === known) return tell.ok(`its tables are up to date (step ${done})`);
  if (done === 0)
    return tell.warning(
      'it has no tables of Footlight yet',
      'Start the service, which makes them; or set DATABASE_URL to the database that is meant.',
    );
  if (done < known)
    return tell.warning(
      `its tables are at step ${done} of ${known}`,
      'Start the service once, which brings them up to date; make a backup before.',
    );
  const isRefused = await checkNotNewer(store, { done, known }).then(
    () => false,
    () => true,
  );
  if (!isRefused)
    return tell.warning(
      `its tables are at step ${done}, of a newer Footlight, beside which this one can run`,
      'Bring this one up to date too, after the others.',
    );
  return tell.failed(
    `its tables are at step ${done}, of a newer Footlight; this one knows ${known}`,
    'Run that version, or restore a backup made with this one.',
  );
}

async function commitFindings(store: Store): Promise<Finding[]> {
  const took: number[] = [];
  for (let at = 0; at < commits; at += 1) {
    const begunAt = performance.now();
    if (!(await commitNothing(store))) return [];
    took.push(performance.now() - begunAt);
  }
  const ms = middleOf(took);
  return [
    ms < slowCommitMs
      ? tell.ok(`a commit takes ${msText(ms)}`)
      : tell.warning(
          `a commit takes ${msText(ms)}`,
          'Writes wait for it: give PostgreSQL a faster disk, or a shorter way to it.',
        ),
  ];
}

async function clockFindings(store: Store): Promise<Finding[]> {
  const askedAt = Date.now();
  const there = await databaseClock(store);
  if (there === undefined) return [];
  const offMs = Math.abs(there - (askedAt + Date.now()) / 2);
  const says = `its clock and this machine's differ by ${msText(offMs)}`;
  const remedy = 'Let both follow a time server (chrony or systemd-timesyncd).';
  if (offMs >= clockWrongMs) return [tell.failed(says, remedy)];
  return [offMs >= clockOffMs ? tell.warning(says, remedy) : tell.ok(says)];
}

/** Whether a service could start beside those that run now. */
async function nodeFindings(store: Store, config: Config): Promise<Finding[]> {
  if (store.dialect === 'sqlite' || (await doneSteps(store)) < migrations.length) return [];
  const node = config.nodeName || (await knownNodeName(config.dataDir));
  const own = { node, ...nodeBucketOf(config) };
  const { at, nodes } = await nodesNow(store);
  const running = nodes.filter((row) => row.node !== node && at - row.seen_at <= silentMsMax);
  const clashes = running.flatMap((row) => bucketClash(own, row) ?? []);
  if (clashes.length > 0)
    return clashes.map((says) =>
      tell.failed(says, 'A service with these settings is refused at its start.'),
    );
  const names = running.map((row) => row.node).join(', ');
  return running.length === 0 ? [] : [tell.ok(`other nodes run on it: ${names}`)];
}
