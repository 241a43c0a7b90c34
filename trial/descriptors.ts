// Fault 17: descriptors or memory run out; new work waits or is refused, what is established goes on.
import { type Engine, engines } from '../test/support/engines.ts';
import { late, patience } from '../test/support/machine-pace.ts';
import { HttpConnection, requestText } from '../test/support/rude/http-connection.ts';
import { type ServiceProcess, startProcess } from '../test/support/service-process.ts';
import { snapshot } from '../test/support/snapshot.ts';
import {
  demand,
  type Figures,
  onEachEngine,
  type RoundOptions,
  round,
  type Trial,
} from '../test/support/trial.ts';

/** What `prlimit` leaves the service, and how many connections come. */
const descriptorsMax = 64;
const floodConnections = 200;
const keptConnections = 5;
/** What an established connection, or anyone once room is back, waits at most on two noisy cores. */
const answerWithinMs = 2_000;

export const trial: Trial = {
  sentence: 'more connections than descriptors, and 2,000 large or slow requests: old work goes on',
  rounds: 5,
  run: async (options) => {
    const figures = await onEachEngine(options, (engine) =>
      descriptorRounds({ ...options, engine }),
    );
    options.say('memory');
    return { ...figures, ...(await memoryRound(2_000)) };
  },
};

export async function descriptorRounds(
  options: RoundOptions & { engine: Engine },
): Promise<Figures> {
  const { rounds, seed, engine } = options;
  const settings = {
    ...(await engine.fresh()),
    LOG_LEVEL: 'silent',
    RECORDS_CALLS_PER_DAY: '0',
    // A proxy may have every connection there is; of anybody else the idlest would be closed.
    TRUSTED_PROXIES: '127.0.0.1',
  };
  const wrapper = ['prlimit', `--nofile=${descriptorsMax}:${descriptorsMax}`];
  const service = await startProcess(settings, { wrapper });
  const figures = { rounds: 0, served_while_out: 0, slowest_ms: 0, cpu_percent: 0, cpu_after: 0 };
  let writes = 0;
  try {
    for (let at = 0; at < rounds; at++) {
      await round('descriptors', seed + at, async () => {
        const seen = await flood(service);
        figures.served_while_out += seen.served;
        figures.slowest_ms = Math.max(figures.slowest_ms, Math.round(seen.slowestMs));
        figures.cpu_percent = Math.max(figures.cpu_percent, seen.cpuPercent);
        figures.cpu_after = Math.max(figures.cpu_after, seen.cpuAfter);
        writes += seen.writes;
        const found = await snapshot(settings);
        const problems = [...found.problems];
        if (found.channels.length !== writes)
          problems.push(`${writes} channels were acknowledged, ${found.channels.length} are there`);
        demand(problems);
      });
      figures.rounds += 1;
    }
  } finally {
    await service.kill();
  }
  return figures;
}

/** Takes every descriptor, asks on the connections from before, gives them back. */
async function flood(service: ServiceProcess) {
  const { url } = service;
  const seen = { served: 0, writes: 0, slowestMs: 0, cpuPercent: 0, cpuAfter: 0 };
  const kept = await openMany(url, keptConnections);
  const ask = async () => {
    for (const connection of kept) {
      const tookMs = await askEach(service, connection);
      demand(late('an answer', tookMs, answerWithinMs));
      seen.slowestMs = Math.max(seen.slowestMs, tookMs);
      seen.served += 4;
      seen.writes += 1;
    }
  };
  // Before: what is not asked yet may not have been taken by the server.
  await ask();
  seen.served = 0;
  const more = await openMany(url, floodConnections);
  try {
    // A connection is taken by the server once something was sent on it; this request never ends.
    for (const connection of more) connection.sendPart('GET /livez HTTP/1.1\r\n');
    await until(() => service.descriptors() === descriptorsMax, 'the descriptors did not run out');
    seen.cpuPercent = await cpuPercent(service);
    await ask();
    await ask();
    if (service.descriptors() !== descriptorsMax) throw new Error('the descriptors came back');
  } finally {
    for (const connection of more) connection.close();
  }
  const startedAt = performance.now();
  const fresh = await HttpConnection.open(url);
  await askEach(service, fresh);
  seen.writes += 1;
  const againMs = performance.now() - startedAt;
  demand(late('a new connection', againMs, answerWithinMs));
  seen.cpuAfter = await cpuPercent(service);
  for (const connection of [...kept, fresh]) connection.close();
  if (!service.isAlive()) throw new Error('the service ended');
  return seen;
}

/** A point read, a write, a long read and the metrics, one after another; how long the slowest took. */
async function askEach(service: ServiceProcess, connection: HttpConnection): Promise<number> {
  const { token } = service;
  let slowestMs = 0;
  const ask = async (method: string, path: string, body?: unknown) => {
    const startedAt = performance.now();
    const asked = { token, ...(body !== undefined && { body }) };
    const answer = await connection.request(method, path, asked);
    slowestMs = Math.max(slowestMs, performance.now() - startedAt);
    if (answer.status !== 200)
      throw new Error(`${method} ${path} was answered ${answer.status}: ${answer.text}`);
    return answer.body;
  };
  await ask('GET', '/v1/activities');
  const { id } = await ask('POST', '/v1/activities', { name: 'one more' });
  await ask('POST', `/v1/activities/${id}/visitors`, {});
  await ask('GET', '/metrics');
  return slowestMs;
}

/** Processor time over a second in which nothing is asked, as a share of one core. */
async function cpuPercent(service: ServiceProcess): Promise<number> {
  const before = { cpuMs: service.cpuMs(), at: performance.now() };
  await Bun.sleep(1_000);
  const share = (service.cpuMs() - before.cpuMs) / (performance.now() - before.at);
  return Math.round(share * 100);
}

/** Bytes of one body: just under the bound of the interface. */
const bodyBytes = 65_000;
/** How often each slow reader asks for the list, some hundred kilobytes, without reading an answer. */
const listsPerReader = 20;
/** Others share two cores with some ten thousand requests that came before theirs. */
const othersWithinMs = 10_000;
/** A body is held as its parts, as one piece, as text and as an object, until the collector comes by. */
const bytesPerConnection = 400 * 1_024;
const bytesOfProgram = 200 * 1_048_576;

/** Large bodies, bodies that stop before their end, and clients that do not read, each on many connections. */
export async function memoryRound(connections: number): Promise<Figures> {
  const engine = engines[0] as Engine;
  const service = await startProcess({
    ...(await engine.fresh()),
    LOG_LEVEL: 'silent',
    // On a fast machine they would come oftener than one network may.
    HTTP_CONNECTS_PER_NETWORK: String(3 * connections),
  });
  const { url, token } = service;
  const ceilingBytes = bytesOfProgram + connections * bytesPerConnection;
  const slowest = { othersMs: 0 };
  try {
    const other = await HttpConnection.open(url);
    await fillList(service, other);
    const large = requestText('PUT', '/v1/activities/1', {
      token,
      body: { name: 'large', filler: 'x'.repeat(bodyBytes) },
    });
    const list = requestText('GET', '/v1/activities', { token });
    const othersAreServed = async () => {
      slowest.othersMs = Math.max(slowest.othersMs, await askEach(service, other));
      demand(late('an answer to others', slowest.othersMs, othersWithinMs));
    };

    const whole = await openMany(url, connections);
    const answers = whole.map((connection) => connection.send(large));
    await othersAreServed();
    for (const { status, text } of await Promise.all(answers))
      if (status !== 200 && status !== 503) throw new Error(`a large body: ${text}`);
    for (const connection of whole) connection.close();

    // Fewer than the requests that one network may have under way: those beyond are refused.
    const held = await openMany(url, Math.min(connections, 1_000));
    for (const connection of held) connection.sendPart(large.slice(0, -1));
    await othersAreServed();
    await Promise.all(held.map((connection) => connection.send(large.slice(-1))));
    for (const connection of held) connection.close();

    const slow = await openMany(url, connections);
    for (const connection of slow) {
      connection.pause();
      connection.sendPart(list.repeat(listsPerReader));
    }
    await othersAreServed();
    await Bun.sleep(1_000);
    await othersAreServed();
    for (const connection of slow) connection.close();
    await othersAreServed();
    other.close();

    const { peakBytes } = service.memory();
    if (peakBytes > ceilingBytes)
      throw new Error(`${peakBytes} bytes of ${ceilingBytes} were held`);
    return {
      memory_connections: connections,
      memory_peak_mb: Math.round(peakBytes / 1_048_576),
      memory_ceiling_mb: Math.round(ceilingBytes / 1_048_576),
      memory_others_slowest_ms: Math.round(slowest.othersMs),
    };
  } finally {
    await service.kill();
  }
}

/** Channels with large pages, so that a page of the list is some hundred kilobytes. */
async function fillList({ token }: ServiceProcess, connection: HttpConnection): Promise<void> {
  const address = `/${'x'.repeat(2_000)}`;
  const body = { pc_logo: address, mobile_logo: address, banner: address, cover_image: address };
  for (let at = 1; at <= 30; at++) {
    await connection.request('POST', '/v1/activities', { token, body: { name: `large ${at}` } });
    await connection.request('PUT', `/v1/activities/${at}/page`, { token, body });
  }
}

/** Opened a few at a time: more would overrun the server's backlog. */
async function openMany(url: string, count: number): Promise<HttpConnection[]> {
  const opened: HttpConnection[] = [];
  while (opened.length < count) {
    const next = Math.min(200, count - opened.length);
    const some = Array.from({ length: next }, () => HttpConnection.open(url));
    opened.push(...(await Promise.all(some)));
  }
  return opened;
}

async function until(holds: () => boolean, otherwise: string): Promise<void> {
  const startedAt = performance.now();
  while (!holds()) {
    if (performance.now() - startedAt > patience(5_000)) throw new Error(otherwise);
    // The kernel tells no one how many descriptors another process has.
    await Bun.sleep(10);
  }
}
