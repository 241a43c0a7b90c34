// Which files a packet and a request pass in a checkout's own service, found by running it.
import { Database } from 'bun:sqlite';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startClipPush, testClip } from '../../test/support/clip-push.ts';
import { freePort } from '../../test/support/free-port.ts';
import { type TracedCall, type TraceOrder, traceVariable } from './call-trace.ts';
import { startFootlightProcess } from './server-process.ts';
import { serviceSettings } from './service-settings.ts';
import { traceCheckout } from './traced-checkout.ts';

export interface Ways {
  /** Each file once, in the order of its first call, with that call's line. */
  picture: string[];
  sound: string[];
  request: string[];
}

/** What is found again in arguments: neither bytes of a coder nor numbers and names of a service look so. */
const packets = {
  picture: 'f3c1a5e79b8d6f42d7b9c5e3a1f78e6d',
  sound: 'e9d4b7a2c6f18395daf5b3c7e1a96d8b',
};
const request = { channelId: 7_461_529_083, viewerName: 'Wilhelmina Quixote-Zhang' };

/** After the packets that are looked for: their part is made by then. */
const pushedOnMs = 2_000;
/** Until what was traced is written down. */
const settledMs = 500;

export async function findWays(order: {
  checkout: string;
  /** Made here. */
  folder: string;
  /** Media before the packets that are looked for: segments are made by then. */
  steadyMs: number;
}): Promise<Ways> {
  const { checkout, folder, steadyMs } = order;
  // Apart from what is written here: the checkout may have a data folder of its own.
  const copy = join(folder, 'checkout');
  await traceCheckout(checkout, copy);
  const file = join(folder, 'calls.txt');
  writeFileSync(file, '');
  const rtmpPort = await freePort();
  const settings = { ...serviceSettings.structure, DATA_DIR: join(folder, 'data') };
  const service = await startFootlightProcess({
    settings: {
      ...settings,
      RTMP_PORT: String(rtmpPort),
      [traceVariable]: JSON.stringify({ file, packets, request } satisfies TraceOrder),
    },
    logFile: join(folder, 'footlight.log'),
    checkout: copy,
  });
  try {
    const token = await service.printed(/token +(footlight_\w+)\n/);
    const ask = asker(`http://127.0.0.1:${service.port}/v1/activities`, token);
    const publishPath = await makeChannel(ask, settings.DATA_DIR);
    await importRecord({ checkout, folder, settings });
    await ask(`/${request.channelId}/userRecords`, {});
    await push(`rtmp://127.0.0.1:${rtmpPort}${publishPath}`, steadyMs);
    await Bun.sleep(settledMs);
  } finally {
    // At once, so that nothing is made of what was pushed.
    process.kill(service.pid, 'SIGKILL');
    await service.stop();
  }
  const calls = readCalls(file);
  return {
    picture: filesOf(calls, 'picture'),
    sound: filesOf(calls, 'sound'),
    request: filesOf(calls, 'request', /-routes\.ts:/),
  };
}

type Ask = (path: string, body: object) => Promise<unknown>;

function asker(url: string, token: string): Ask {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  return async (path, body) => {
    const order = { method: 'POST', headers, body: JSON.stringify(body) };
    const response = await fetch(`${url}${path}`, order);
    if (response.status !== 200) throw new Error(`${path} was answered ${response.status}`);
    return await response.json();
  };
}

/** The service's first, under a number that no count of the service comes to; where it is published. */
async function makeChannel(ask: Ask, dataDir: string): Promise<string> {
  const database = new Database(join(dataDir, 'footlight.db'));
  const last = request.channelId - 1;
  database.run("INSERT INTO sqlite_sequence (name, seq) VALUES ('channels', ?)", [last]);
  database.close();
  const made = (await ask('', { name: 'Spring launch' })) as Record<string, unknown>;
  if (made['id'] !== request.channelId) throw new Error(`the channel's id is ${made['id']}`);
  return new URL(String(made['rtmp_publish_addr'])).pathname;
}

async function importRecord(place: {
  checkout: string;
  folder: string;
  settings: Record<string, string>;
}): Promise<void> {
  const { checkout, folder, settings } = place;
  const file = join(folder, 'sessions.ndjson');
  const record = {
    record_id: '1',
    user_id: 'u-1',
    nick: request.viewerName,
    first_login_time: '2026-05-01 19:29:00',
    online_time: '00:10:00',
    watch_time: '00:09:00',
  };
  writeFileSync(file, `${JSON.stringify(record)}\n`);
  const program = join(checkout, 'src/cli/footlight.ts');
  const words = ['import', 'sessions', '--channel', String(request.channelId), file];
  const child = Bun.spawn([process.execPath, program, ...words], {
    env: { PATH: process.env['PATH'] ?? '', ...settings },
    stdout: 'ignore',
  });
  if ((await child.exited) !== 0) throw new Error('the watch record could not be brought in');
}

async function push(url: string, steadyMs: number): Promise<void> {
  const { over, end } = await startClipPush(url, markedClip(testClip(), steadyMs));
  await Promise.race([over, Bun.sleep(steadyMs + pushedOnMs)]);
  await end();
}

type Clip = ReturnType<typeof testClip>;
type Tag = Clip['tags'][number];

/** One picture and one sound after `steadyMs`. */
function markedClip({ tags, durationMs }: Clip, steadyMs: number): Clip {
  const later = tags.filter(({ timestampMs }) => timestampMs > steadyMs);
  const marks = new Map([
    [later.find(isPlainPicture), packets.picture],
    [later.find(({ type }) => type === 'audio'), packets.sound],
  ]);
  const marked = (tag: Tag) => {
    const mark = marks.get(tag);
    return mark === undefined ? tag : { ...tag, body: withMark(tag.body, mark) };
  };
  return { tags: tags.map(marked), durationMs };
}

/** No key frame, and its first slice is long enough to be marked. */
function isPlainPicture({ type, body }: Tag): boolean {
  return type === 'video' && body[0] === 0x27 && lengthOfSlice(body) > 100;
}

/** FLV's head has five bytes, the slice's length four. */
function lengthOfSlice(body: Uint8Array): number {
  return new DataView(body.buffer, body.byteOffset).getUint32(5);
}

/** Behind every header of a slice and of a sound. */
const markAt = 50;

function withMark(body: Uint8Array, mark: string): Uint8Array {
  const marked = new Uint8Array(body);
  marked.set(Uint8Array.fromHex(mark), markAt);
  return marked;
}

function readCalls(file: string): TracedCall[] {
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  const calls = lines.map((line) => {
    const [at, way = '', place = ''] = line.split(' ');
    return { at: Number(at), way, place };
  });
  return calls.sort((a, b) => a.at - b.at);
}

/** From the first call, or the first of a file that matches, to the end. */
function filesOf(calls: readonly TracedCall[], way: string, first = /./): string[] {
  const all = calls.filter((call) => call.way === way).map(({ place }) => place);
  const begun = all.slice(all.findIndex((place) => first.test(place)));
  const end = begun.indexOf('end');
  if (end <= 0) throw new Error(`the way of the ${way} was not seen from its beginning to its end`);
  const byFile = Map.groupBy(begun.slice(0, end), (place) => place.replace(/:\d+$/, ''));
  return [...byFile.values()].flatMap((places) => places.slice(0, 1));
}
