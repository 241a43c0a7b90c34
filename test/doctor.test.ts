// The doctor before real faults: ports that are taken, a disk that is full, certificates that have ended, a database that is away.
import { afterAll, describe, expect, test } from 'bun:test';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Finding } from '../src/cli/doctor/doctor-finding.ts';
import { makeCertificate, makeEndedCertificate, noOpenssl } from './support/certificate.ts';
import { type Engine, engines, temporaryFolder } from './support/engines.ts';
import { testWith } from './support/needs.ts';
import { startTestService } from './support/service.ts';
import { mountSmallDisk } from './support/small-disk.ts';
import { typed } from './support/typed-line.ts';

async function examined(settings: Record<string, string>) {
  const { code, lines } = await typed(settings, ['doctor', '--json']);
  const found: Finding[] = lines();
  const of = (check: string) => found.filter((one) => one.check === check);
  /** The finding of a check that says so; it has a remedy where it is not ok. */
  const says = (check: string, part: string) => {
    const one = of(check).find((finding) => finding.says.includes(part));
    expect({
      check,
      part,
      there: of(check).map(({ says }) => says),
      found: one !== undefined,
    }).toEqual(expect.objectContaining({ found: true }));
    expect((one?.remedy ?? '') !== '').toBe(one?.state !== 'ok');
    return one?.state;
  };
  return { code, found, says };
}

describe.each([...engines])('a sound machine ($name)', (engine) => {
  const begun = startTestService(engine, { now: Date.now(), settings: { MIN_FREE_DISK: '1M' } });
  afterAll(async () => (await begun).stop());

  test('has nothing that failed, and each check says something; nothing is left behind', async () => {
    const service = await begun;
    const folder = service.settings['DATA_DIR'] ?? '';
    const before = readdirSync(folder).sort();
    const port = new URL(service.url).port;
    const { code, found, says } = await examined({
      ...service.settings,
      ...{ PORT: port, RTMP_PORT: String(service.rtmpPort), PUBLIC_URL: service.url },
      TRUSTED_PROXIES: '127.0.0.1',
    });
    expect(found.filter(({ state }) => state === 'failed')).toEqual([]);
    expect(code).toBe(0);
    expect([...new Set(found.map(({ check }) => check))]).toEqual([
      'settings',
      'database',
      'disk',
      'ports',
      'public address',
      'certificate',
      'clock',
      'descriptors',
      'transcoder',
    ]);
    says('database', 'answers');
    expect(says('database', 'its tables are up to date')).toBe('ok');
    says('disk', 'are free');
    says('disk', 'a small write is safe after');
    expect(says('ports', `PORT ${port} is held by a service that answers`)).toBe('ok');
    expect(says('ports', `RTMP_PORT ${service.rtmpPort} is held by a service`)).toBe('ok');
    expect(says('public address', 'on this machine alone')).toBe('warning');
    if (engine.name === 'postgres') {
      says('database', 'a commit takes');
      expect(says('database', 'its clock and this machine')).toBe('ok');
    }
    expect(readdirSync(folder).sort()).toEqual(before);
  });
});

test('where nothing is, nothing is made', async () => {
  const DATA_DIR = join(temporaryFolder(), 'data');
  const { says } = await examined({ DATA_DIR });
  expect(says('database', 'there is no database in')).toBe('warning');
  expect(says('disk', 'is not there yet')).toBe('warning');
  expect(existsSync(DATA_DIR)).toBe(false);
});

test('a port of another program, and an address that nobody answers at', async () => {
  const other = Bun.serve({
    ...{ port: 0, hostname: '127.0.0.1' },
    fetch: () => new Response('another program'),
  });
  const PORT = String(other.port);
  const { code, says } = await examined({
    ...{ DATA_DIR: temporaryFolder(), HOST: '127.0.0.1', PORT, RTMP_PORT: PORT },
    PUBLIC_URL: 'http://127.0.0.1:1',
  });
  await other.stop(true);
  expect(code).toBe(1);
  expect(says('ports', `PORT ${PORT} is held by another program`)).toBe('failed');
  expect(says('ports', `RTMP_PORT ${PORT} is held by another program`)).toBe('failed');
  expect(says('settings', `PORT and RTMP_PORT are both ${PORT}`)).toBe('failed');
  expect(says('public address', 'cannot be had from here')).toBe('failed');
});

test('settings that cannot be read, are misspelt or contradict each other', async () => {
  const { code, says, found } = await examined({
    DATA_DIR: temporaryFolder(),
    PORT: '99999',
    PUBLIC_ULR: 'https://live.example.com',
    FOOTLIGHT_RTMP_PORT: '1',
    FOOTLIGHT_COLOUR: 'red',
    EDITOR: 'vi',
    PIP_CERT: '/etc/ssl/cert.pem',
    TLS_KEY: '/no/such',
  });
  expect(code).toBe(1);
  expect(says('settings', 'PORT must be 0 to 65535 (got "99999")')).toBe('failed');
  expect(says('settings', 'PUBLIC_ULR is no setting')).toBe('warning');
  expect(found.find((one) => one.says.startsWith('PUBLIC_ULR'))?.remedy).toContain('PUBLIC_URL');
  expect(found.find((one) => one.says.startsWith('FOOTLIGHT_RTMP'))?.remedy).toContain('RTMP_PORT');
  expect(says('settings', 'FOOTLIGHT_COLOUR is no setting')).toBe('warning');
  for (const others of ['EDITOR', 'PIP_CERT'])
    expect(found.some((one) => one.says.includes(others))).toBe(false);
  expect(says('certificate', 'TLS_KEY is set without the other')).toBe('failed');
});

test('an address that cannot be read is not called absent, and a program’s own token is left alone', async () => {
  const settings = { DATA_DIR: temporaryFolder(), PORT: '0', RTMP_PORT: '0' };
  const wrong = await examined({
    ...settings,
    PUBLIC_URL: 'live.example.com',
    FOOTLIGHT_TOKEN: 'x',
  });
  expect(wrong.says('settings', 'starts with http:// or https://')).toBe('failed');
  const told = wrong.found.map(({ says }) => says).join('\n');
  expect(told).not.toContain('PUBLIC_URL is not set');
  expect(told).not.toContain('FOOTLIGHT_TOKEN');
  // As the commands print it.
  const absent = await examined({ ...settings, HOST: '127.0.0.1' });
  expect(absent.says('public address', 'commands print http://127.0.0.1:0')).toBe('warning');
});

testWith(noOpenssl, 'a certificate that ends soon, has ended, or has another key', async () => {
  const soon = makeCertificate();
  const settings = { DATA_DIR: temporaryFolder() };
  expect((await examined({ ...settings, ...soon })).says('certificate', 'is good until')).toBe(
    'warning',
  );
  const other = makeCertificate();
  const mixed = await examined({ ...settings, TLS_CERT: soon.TLS_CERT, TLS_KEY: other.TLS_KEY });
  expect(mixed.says('certificate', 'is not the key of')).toBe('failed');
  const ended = makeEndedCertificate();
  expect((await examined({ ...settings, ...ended })).says('certificate', 'has ended on')).toBe(
    'failed',
  );
  // Of a proxy in front it is asked for.
  const secure = Bun.serve({
    ...{ port: 0, hostname: '127.0.0.1', fetch: () => new Response('ok\n') },
    tls: { cert: Bun.file(soon.TLS_CERT), key: Bun.file(soon.TLS_KEY) },
  });
  const PUBLIC_URL = `https://localhost:${secure.port}`;
  const behind = await examined({ ...settings, PUBLIC_URL });
  await secure.stop(true);
  expect(behind.says('certificate', `of ${PUBLIC_URL} is good until`)).toBe('warning');
  expect(behind.says('settings', 'no proxy is trusted')).toBe('warning');
  const away = await examined({ ...settings, PUBLIC_URL: 'https://localhost:1' });
  expect(away.says('certificate', 'shows none')).toBe('failed');
});

test('PROXY headers of RTMP: a service that wants them answers, and somebody must send them', async () => {
  const settings = { TRUSTED_PROXIES: '127.0.0.1', RTMP_PROXY_PROTOCOL: 'true' };
  const engine = engines[0] as Engine;
  const service = await startTestService(engine, { now: Date.now(), settings });
  try {
    const RTMP_PORT = String(service.rtmpPort);
    const found = await examined({ ...service.settings, ...settings, RTMP_PORT });
    expect(found.says('ports', `RTMP_PORT ${RTMP_PORT} is held by a service`)).toBe('ok');
  } finally {
    await service.stop();
  }
  const nobody = { DATA_DIR: temporaryFolder(), RTMP_PROXY_PROTOCOL: 'true' };
  expect((await examined(nobody)).says('settings', 'no proxy is trusted')).toBe('failed');
  const begun = startTestService(engine, { settings: nobody });
  expect(begun).rejects.toThrow('RTMP_PROXY_PROTOCOL needs TRUSTED_PROXIES');
  await begun.catch(() => {});
});

testWith(
  process.getuid?.() === 0 ? undefined : 'it mounts a disk, so root',
  'a disk without room',
  async () => {
    const disk = mountSmallDisk(20 * 1_048_576);
    try {
      disk.fill();
      const { code, says } = await examined({ DATA_DIR: disk.folder });
      expect(code).toBe(1);
      expect(says('disk', '0 B are free')).toBe('failed');
      expect(says('disk', 'nothing can be written')).toBe('failed');
      expect(readdirSync(disk.folder)).toEqual(['ballast']);
    } finally {
      disk.unmount();
    }
  },
);

test('PostgreSQL that is empty, up to date, or not there', async () => {
  const settings = (await engines.find(({ name }) => name === 'postgres')?.fresh()) ?? {};
  const empty = await examined(settings);
  expect(empty.says('database', 'it has no tables of Footlight yet')).toBe('warning');
  // By a command that reads no table is made either.
  const list = await typed(settings, ['channel', 'list']);
  expect([list.code, list.err]).toEqual([5, expect.stringContaining('no tables of Footlight')]);
  await typed(settings, ['channel', 'create', '--name', 'one']);
  expect((await typed(settings, ['channel', 'list'])).lines()).toMatchObject([{ name: 'one' }]);
  // As of a server that is stopped: nobody listens there.
  const DATABASE_URL = 'postgres://somebody:secret@127.0.0.1:1/footlight';
  const { code, says, found } = await examined({ ...settings, DATABASE_URL });
  expect([code, says('database', 'it cannot be opened')]).toEqual([1, 'failed']);
  const away = await typed({ ...settings, DATABASE_URL }, ['channel', 'list', '--json']);
  expect([away.code, JSON.parse(away.err).error]).toEqual([5, 'database']);
  expect(JSON.stringify([found, away])).not.toContain('secret');
});

test('a file in the way of the folder is said, and people see marks and remedies', async () => {
  const DATA_DIR = join(temporaryFolder(), 'data');
  writeFileSync(DATA_DIR, 'a file');
  const { code, out } = await typed({ DATA_DIR }, ['doctor'], { terminal: true });
  expect(code).toBe(1);
  expect(out).toContain('FAILED   disk: DATA_DIR');
  expect(out).toContain('\n         Set DATA_DIR to a folder.\n');
  expect(out).toMatch(/^ok {7}clock: /m);
});
