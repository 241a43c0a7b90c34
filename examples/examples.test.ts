// The examples as programs of their own, against the whole service.
import { afterAll, describe, expect, test } from 'bun:test';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readWatchLink } from '../src/audience/viewers/watch-link.ts';
import { engines, temporaryFolder } from '../test/support/engines.ts';
import { read } from '../test/support/repository.ts';
import { addVisits } from '../test/support/scenarios.ts';
import { startTestService, type TestService } from '../test/support/service.ts';

const [sqlite] = engines;
if (!sqlite) throw new Error('there is no engine');
/** Its clock is the machine's: receivers take no call that is older than minutes. */
const service = await startTestService(sqlite, {
  now: Date.now(),
  settings: { WEBHOOK_PRIVATE_TARGETS: 'all' },
});
const settingsFor = ({ url, token }: TestService) => ({
  FOOTLIGHT_URL: url,
  FOOTLIGHT_TOKEN: token,
});
const own = settingsFor(service);
const newChannel = async (name: string, at = service) =>
  (await at.call('POST', '/v1/activities', { body: { name } })).body.id as number;

const running: Bun.Subprocess[] = [];
afterAll(async () => {
  for (const child of running) {
    child.kill();
    await child.exited;
  }
  await service.stop();
});

/** Lines of what it says come one by one. */
function start(example: string, words: string[], settings: Record<string, string>) {
  const program = join(import.meta.dir, example);
  const env = { PATH: process.env['PATH'] ?? '', ...settings };
  const child = Bun.spawn([process.execPath, program, ...words], {
    env,
    stdout: 'pipe',
    stderr: 'inherit',
  });
  running.push(child);
  const lines = linesOf(child.stdout);
  const nextLine = async () => {
    const { value, done } = await lines.next();
    if (done) throw new Error(`${example} has ended`);
    return value;
  };
  return { child, nextLine, lines };
}

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string, void> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const bytes of stream) {
    const whole = (rest + decoder.decode(bytes, { stream: true })).split('\n');
    rest = whole.pop() ?? '';
    yield* whole;
  }
}

describe('sign-in', () => {
  test('leads its users to the watch page under their own names, and nobody else', async () => {
    const channel = await newChannel('<b>Launch</b>');
    const { secret } = (await service.call('GET', '/manage/v1/viewer-secret')).body;
    const { nextLine } = start('sign-in.ts', [], { ...own, VIEWER_SECRET: secret, PORT: '0' });
    const site = await nextLine();
    const ask = (path: string, init: RequestInit = {}) =>
      fetch(`${site}${path}`, { redirect: 'manual', ...init });
    expect(await (await ask(`shows/${channel}`)).text()).toContain('action="/sign-in"');
    const body = new URLSearchParams({ uid: 'u-42', nick: '<i>李伟' });
    const signedIn = await ask('sign-in', { method: 'POST', body });
    const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? '';
    const home = await (await ask('', { headers: { cookie } })).text();
    expect(home).toContain('&lt;b&gt;Launch');
    expect(home).toContain('Hello &lt;i&gt;李伟');
    const led = await ask(`shows/${channel}`, { headers: { cookie } });
    expect(led.status).toBe(303);
    const link = new URL(led.headers.get('location') ?? '');
    expect(`${link.origin}${link.pathname}`).toBe(`${service.url}/watch/${channel}`);
    const viewer = { viewer_id: 'u-42', nick: '<i>李伟', phone: '' };
    expect(readWatchLink(secret, link.searchParams, channel, Date.now())).toEqual(viewer);
    expect((await ask('shows/987654', { headers: { cookie } })).status).toBe(404);
  });
});

describe('follow-events', () => {
  test('is told by webhooks, once each, and believes nobody else', async () => {
    // Its address is known when it runs, its secret when there is the address.
    const free = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response() });
    const { port } = free;
    await free.stop(true);
    const url = `http://127.0.0.1:${port}/`;
    const order = { url, events: ['channel.created'] };
    const webhook = (await service.call('POST', '/manage/v1/webhooks', { body: order })).body;
    const { nextLine } = start('follow-events.ts', ['webhooks'], {
      WEBHOOK_SECRETS: webhook.secret,
      PORT: String(port),
    });
    expect(await nextLine()).toBe(url);
    const forged = await fetch(url, {
      method: 'POST',
      body: '{"type":"channel.created","data":{"name":"forged"}}',
      headers: {
        'webhook-id': 'evt_1',
        'webhook-timestamp': String(Math.floor(Date.now() / 1_000)),
        'webhook-signature': 'v1,AAAA',
      },
    });
    expect(forged.status).toBe(400);
    await newChannel('told by webhook');
    expect(await nextLine()).toContain('told by webhook');
    const log = `/manage/v1/webhooks/${webhook.id}/deliveries`;
    const sent = async () => (await service.call('GET', `${log}?state=delivered`)).body.deliveries;
    while ((await sent()).length === 0) await Bun.sleep(10);
    const [{ id }] = await sent();
    await service.call('POST', `${log}/${id}/resend`, { body: {} });
    while ((await sent()).length === 1) await Bun.sleep(10);
    await newChannel('told after it');
    expect(await nextLine()).toContain('told after it');
    await service.call('DELETE', `/manage/v1/webhooks/${webhook.id}`);
  });

  test('follows the stream, and goes on where it was when it ended', async () => {
    const POSITION_FILE = join(temporaryFolder(), 'position.txt');
    const { next_after } = (await service.call('GET', '/manage/v1/events/list')).body;
    writeFileSync(POSITION_FILE, next_after);
    const settings = { ...own, POSITION_FILE };
    const first = start('follow-events.ts', ['stream'], settings);
    await newChannel('told at once');
    expect(await first.nextLine()).toContain('told at once');
    while (readFileSync(POSITION_FILE, 'utf8') === next_after) await Bun.sleep(10);
    first.child.kill('SIGKILL');
    await first.child.exited;
    await newChannel('told later');
    const second = start('follow-events.ts', ['stream'], settings);
    expect(await second.nextLine()).toContain('told later');
  });
});

describe('nightly-export', async () => {
  // What the day's calls of watch records are enough for does not matter to it.
  const limited = await startTestService(sqlite, { settings: { RECORDS_CALLS_PER_DAY: '1' } });
  afterAll(() => limited.stop());
  const folder = temporaryFolder();
  const day = 86_400_000;
  const night = async () => {
    const token = await limited.newToken({ scopes: ['channels:read', 'audience:read'] });
    const settings = { ...settingsFor(limited), FOOTLIGHT_TOKEN: token };
    const { child, lines } = start('nightly-export.ts', [folder], settings);
    const said = await Array.fromAsync(lines);
    expect(await child.exited).toBe(0);
    const yesterday = new Date(limited.clock.now - day).toISOString().slice(0, 10);
    return said.map((line) => line.replace(yesterday, 'YESTERDAY'));
  };
  const rowsIn = (glob: string) =>
    [...new Bun.Glob(glob).scanSync(folder)].sort().flatMap((file) =>
      readFileSync(join(folder, file), 'utf8')
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line)),
    );

  test('has every visitor, and every record once, the day after it; one night may be left out', async () => {
    const channel = await newChannel('exported', limited);
    const visits = async (from: number, count: number) => {
      const viewers = Array.from({ length: count }, (_, n) => `v${from + n}`);
      const at = (n: number) => limited.clock.now + n * 60_000;
      const visit = (viewer_id: string, n: number) => ({ viewer_id, at: at(n), watch_ms: 90_500 });
      await addVisits(limited, channel, viewers.map(visit));
      return viewers;
    };
    const says = (visitors: number, records: number) => [
      `channel ${channel} (exported): ${visitors} visitors, ${records} new records until YESTERDAY (today's come tomorrow)`,
    ];
    const recorded = () => rowsIn(`records/${channel}/*.ndjson`).map((row) => row.user_id);

    const first = await visits(0, 7);
    expect(await night()).toEqual(says(7, 0));
    expect(rowsIn(`visitors/${channel}.ndjson`)).toMatchObject(
      first.map((visitor_id) => ({ visitor_id, watch_ms: 90_500 })),
    );
    expect(recorded()).toEqual([]);
    limited.clock.now += day;
    const second = await visits(7, 3);
    expect(await night()).toEqual(says(10, 7));
    expect(recorded()).toEqual(first);
    expect(await night()).toEqual(says(10, 0));
    limited.clock.now += day;
    const third = await visits(10, 2);
    limited.clock.now += day;
    expect(await night()).toEqual(says(12, 5));
    expect(recorded()).toEqual([...first, ...second, ...third]);
    limited.clock.now += day;
    expect(await night()).toEqual(says(12, 0));
    expect(existsSync(join(folder, 'making'))).toBe(false);
  });
});

test('each is described', () => {
  const text = read('examples/README.md');
  for (const name of new Bun.Glob('*.ts').scanSync(import.meta.dir))
    if (!name.endsWith('.test.ts')) expect(text).toContain(`\`${name}\``);
});
