// Ceph's S3 as a store for trials: one monitor, one OSD in memory and a gateway, of Debian's packages, on loopback.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BucketStore, openBucketStore } from './bucket-store.ts';
import { freePort } from './free-port.ts';
import { until } from './live-channel.ts';

const programs = ['ceph', 'ceph-mon', 'ceph-osd', 'radosgw', 'radosgw-admin', 'curl'];
const keyId = 'FOOTLIGHTTRIAL';
const secret = 'footlighttrialsecret';
const withinMs = 60_000;

/** What is not there of what it runs; undefined where all is. */
export const noCeph = programs.every((name) => Bun.which(name) !== null)
  ? undefined
  : 'it needs Ceph: apt-get install ceph-mon ceph-osd radosgw ceph-common curl';

export async function startCephStore(prefix = 'shows/'): Promise<BucketStore> {
  const folder = mkdtempSync(join(tmpdir(), 'footlight-ceph-'));
  const children: Bun.Subprocess[] = [];
  const stop = async () => {
    for (const child of children.toReversed()) child.kill('SIGKILL');
    for (const child of children) await child.exited;
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const port = await startDaemons(folder, children);
    const [gateway] = children.slice(-1);
    const admin = (...words: string[]) => ran(folder, 'radosgw-admin', ...words);
    const user = ['--uid=trial', '--quota-scope=user'];
    await admin(
      ...['user', 'create', '--uid=trial', '--display-name=trial'],
      ...[`--access-key=${keyId}`, `--secret=${secret}`],
    );
    await makeBucket(port);
    await admin('quota', 'set', '--max-objects=0', ...user);
    return await openBucketStore({
      ...{ port, prefix, keyId, secret, stop },
      pause: (isPaused) => gateway?.kill(isPaused ? 'SIGSTOP' : 'SIGCONT'),
      fill: (isFull) => admin('quota', isFull ? 'enable' : 'disable', ...user),
    });
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The gateway's port; it is the last of the children. */
async function startDaemons(folder: string, children: Bun.Subprocess[]): Promise<number> {
  const [v2, v1, port] = [await freePort(), await freePort(), await freePort()];
  const address = `[v2:127.0.0.1:${v2},v1:127.0.0.1:${v1}]`;
  const fsid = crypto.randomUUID();
  for (const name of ['mon', 'osd', 'rgw', 'run']) mkdirSync(join(folder, name));
  writeFileSync(join(folder, 'ceph.conf'), settings(folder, { fsid, address, port }));
  const keyring = join(folder, 'keyring');
  const caps = ['--cap', 'mon', 'allow *', '--cap', 'osd', 'allow *'];
  const monCaps = ['--cap', 'mon', 'allow *'];
  await ran(folder, 'ceph-authtool', '-C', keyring, '-n', 'mon.', '--gen-key', ...monCaps);
  for (const name of ['client.admin', 'osd.0'])
    await ran(folder, 'ceph-authtool', keyring, '-n', name, '--gen-key', ...caps);
  const map = join(folder, 'monmap');
  await ran(folder, 'monmaptool', '--create', '--fsid', fsid, '--addv', 'a', address, map);
  await ran(folder, 'ceph-mon', '--mkfs', '-i', 'a', '--monmap', map, '--keyring', keyring);
  const start = (program: string, ...words: string[]) =>
    children.push(started(folder, program, ...words));
  start('ceph-mon', '-i', 'a', '-f');
  const osd = crypto.randomUUID();
  await ran(folder, 'ceph', '--connect-timeout', '30', 'osd', 'new', osd);
  await ran(folder, 'ceph', 'auth', 'add', 'osd.0', '-i', keyring);
  await ran(folder, 'ceph-osd', '-i', '0', '--mkfs', '--osd-uuid', osd, '--keyring', keyring);
  start('ceph-osd', '-i', '0', '-f');
  start('radosgw', '-n', 'client.admin', '--keyring', keyring, '-f');
  const answers = () =>
    fetch(`http://127.0.0.1:${port}`).then(
      ({ status }) => status === 200,
      () => false,
    );
  await until(answers, { withinMs, otherwise: 'the gateway does not answer' });
  return port;
}

/** One replica of everything, in memory, and no line to anywhere else. */
function settings(folder: string, given: { fsid: string; address: string; port: number }): string {
  return `[global]
fsid = ${given.fsid}
mon host = ${given.address}
mon initial members = a
public network = 127.0.0.0/8
keyring = ${folder}/keyring
mon data = ${folder}/mon
osd data = ${folder}/osd
rgw data = ${folder}/rgw
run dir = ${folder}/run
crash dir = ${folder}/run
admin socket =
log file = ${folder}/$name.log
osd objectstore = memstore
memstore device bytes = 2G
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 1
osd pool default pgp num = 1
osd pool default pg autoscale mode = off
osd crush chooseleaf type = 0
mon allow pool size one = true
mon data avail crit = 1
rgw bucket quota ttl = 1
rgw frontends = beast endpoint=127.0.0.1:${given.port}
`;
}

function started(folder: string, program: string, ...words: string[]): Bun.Subprocess {
  const child = Bun.spawn([program, '-c', join(folder, 'ceph.conf'), ...words], {
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: Bun.file(join(folder, `${program}.out`)),
  });
  const end = () => child.kill('SIGKILL');
  process.once('exit', end);
  child.exited.then(() => process.off('exit', end));
  return child;
}

async function ran(folder: string, program: string, ...words: string[]): Promise<void> {
  const hasConf = !['ceph-authtool', 'monmaptool'].includes(program);
  const conf = hasConf ? ['-c', join(folder, 'ceph.conf')] : [];
  const child = Bun.spawn([program, ...conf, ...words], {
    ...{ stdin: 'ignore', stdout: 'ignore', stderr: 'pipe' },
    timeout: withinMs,
  });
  const said = await new Response(child.stderr).text();
  if ((await child.exited) !== 0) throw new Error(`${program} ${words.join(' ')}: ${said}`);
}

/** Our own client makes none. */
async function makeBucket(port: number): Promise<void> {
  const signed = ['--aws-sigv4', 'aws:amz:us-east-1:s3', '-u', `${keyId}:${secret}`];
  const unsignedBody = ['-H', 'x-amz-content-sha256: UNSIGNED-PAYLOAD'];
  const url = `http://127.0.0.1:${port}/recordings`;
  const words = ['curl', '-sS', '-f', '-X', 'PUT', ...signed, ...unsignedBody, url];
  const child = Bun.spawn(words, { stdout: 'ignore', stderr: 'pipe' });
  const said = await new Response(child.stderr).text();
  if ((await child.exited) !== 0) throw new Error(`the bucket is not made: ${said}`);
}
