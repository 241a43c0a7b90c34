// The line that trials shape is tried too: what it is told of rate, delay and stalls is what comes out of it.
import { afterEach, describe, expect, test } from 'bun:test';
import { LineDirection, plainShape, type Shape } from '../support/line-direction.ts';
import { type LineShape, type ShapedLine, startShapedLine } from '../support/shaped-line.ts';

/** A direction whose chances are given, one after the other. */
function direction(shape: Partial<Shape>, chances: number[] = [0]) {
  let at = 0;
  return new LineDirection<string>({
    shape: { ...plainShape, ...shape },
    returnMs: () => shape.delayMs ?? 0,
    chance: () => chances[at++ % chances.length] ?? 0,
  });
}

/** Takes whatever comes out until the moment, as a timer would: by connection, when and how much. */
function arrivals(line: LineDirection<string>, untilMs: number) {
  const seen: { key: string; at: number; bytes: number }[] = [];
  for (let at = line.nextAt(); at !== undefined && at <= untilMs; at = line.nextAt()) {
    const taken = line.take(at);
    for (const { key, bytes } of taken) seen.push({ key, at, bytes: bytes.length });
    if (taken.length === 0 && line.nextAt() === at) throw new Error(`it stands still at ${at}`);
  }
  return seen;
}

const sum = (seen: readonly { bytes: number }[]) => seen.reduce((all, { bytes }) => all + bytes, 0);

describe('a direction of a line', () => {
  test('a rate is kept to, however late it is looked at', () => {
    const line = direction({ bitsPerSecond: 800_000 });
    line.push('a', new Uint8Array(100_000), 0);
    let all = 0;
    const came = (taken: readonly { bytes: Uint8Array }[]) => {
      for (const { bytes } of taken) all += bytes.length;
      return all;
    };
    expect(came(line.take(100))).toBeWithin(10_000 - 1_448, 10_001);
    expect(came(line.take(600))).toBeWithin(60_000 - 1_448, 60_001);
    expect(came(line.take(1_001))).toBe(100_000);
    expect(line.isEmpty('a')).toBe(true);
  });

  test('a silent line saves up nothing', () => {
    const line = direction({ bitsPerSecond: 800_000 });
    line.take(5_000);
    line.push('a', new Uint8Array(100_000), 5_000);
    expect(sum(arrivals(line, 5_500))).toBeWithin(50_000 - 1_448, 50_001);
  });

  test('connections share it evenly', () => {
    const line = direction({ bitsPerSecond: 800_000 });
    line.push('a', new Uint8Array(200_000), 0);
    line.push('b', new Uint8Array(20_000), 0);
    const seen = arrivals(line, 410);
    expect(sum(seen.filter(({ key }) => key === 'b'))).toBeWithin(18_000, 20_001);
  });

  test('a delay is added to each byte, and costs no rate', () => {
    const line = direction({ delayMs: 150, bitsPerSecond: 800_000 });
    line.push('a', new Uint8Array(1_000), 0);
    expect(arrivals(line, 1_000)).toEqual([{ key: 'a', at: 160, bytes: 1_000 }]);
  });

  test('a connection begins with ten packets on their way, and with twice as many a round trip later', () => {
    const line = direction({ delayMs: 100 });
    line.push('a', new Uint8Array(1_448 * 40), 0);
    const seen = arrivals(line, 10_000);
    const packetsAt = (ms: number) => seen.filter(({ at }) => at === ms).length;
    expect([packetsAt(100), packetsAt(300), packetsAt(500)]).toEqual([10, 20, 10]);
  });

  test('after a silence it begins with ten again', () => {
    const line = direction({ delayMs: 100 });
    line.push('a', new Uint8Array(1_448 * 30), 0);
    arrivals(line, 1_000);
    line.push('a', new Uint8Array(1_448 * 30), 2_000);
    expect(arrivals(line, 2_100)).toHaveLength(10);
  });

  test('what follows a silence is late by chance, and the rest of it keeps its order', () => {
    const line = direction({ jitterMs: 100 }, [0.5, 1, 0, 1]);
    line.push('a', Uint8Array.of(1), 0);
    const seen = arrivals(line, 10);
    line.push('a', Uint8Array.of(2), 10);
    seen.push(...arrivals(line, 200));
    line.push('a', Uint8Array.of(3), 200);
    seen.push(...arrivals(line, 1_000));
    expect(seen.map(({ at }) => at)).toEqual([50, 60, 200]);
  });

  test('a stall holds up one connection, not the others', () => {
    const line = direction({ stalledShare: 0.5, stallMs: 300 }, [0, 0, 0, 0.9]);
    line.push('stalled', Uint8Array.of(1), 0);
    line.push('b', Uint8Array.of(1), 0);
    expect(arrivals(line, 1_000).map(({ key, at }) => [key, at])).toEqual([
      ['b', 0],
      ['stalled', 300],
    ]);
  });

  test('with no rate nothing passes, and what waited sets out when there is one', () => {
    const line = direction({ bitsPerSecond: 0 });
    line.push('a', new Uint8Array(1_000), 0);
    expect(line.nextAt()).toBeUndefined();
    expect(line.take(1_000)).toEqual([]);
    line.shape = { ...line.shape, bitsPerSecond: 80_000 };
    expect(arrivals(line, 10_000)).toEqual([{ key: 'a', at: 1_100, bytes: 1_000 }]);
  });

  test('of a connection that is over nothing comes out', () => {
    const line = direction({ delayMs: 50, bitsPerSecond: 80_000 });
    line.push('a', new Uint8Array(10_000), 0);
    line.take(200);
    line.drop('a');
    expect(arrivals(line, 5_000)).toEqual([]);
  });
});

describe('a shaped line', () => {
  const opened: { close(): void }[] = [];
  afterEach(() => {
    for (const one of opened.splice(0)) one.close();
  });

  /** A service that answers with as many bytes as the path asks for. */
  async function lineTo(shape: LineShape): Promise<ShapedLine> {
    const fetch = ({ url }: Request) =>
      new Response(new Uint8Array(Number(new URL(url).pathname.slice(1))));
    const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch });
    const line = await startShapedLine(Number(server.url.port), shape);
    opened.push(line, { close: () => server.stop(true) });
    return line;
  }

  const get = async (line: ShapedLine, bytes: number) =>
    (await (await fetch(`${line.url}/${bytes}`, { keepalive: false })).bytes()).length;

  test('all that is sent arrives, on many connections at once', async () => {
    const line = await lineTo({ down: { bitsPerSecond: 40_000_000, jitterMs: 5 } });
    const sizes = [0, 1, 1_448, 1_449, 300_000];
    expect(await Promise.all(sizes.map((size) => get(line, size)))).toEqual(sizes);
    expect(line.downBytes).toBeGreaterThan(302_000);
  });

  test('it is never quicker than it was told', async () => {
    const line = await lineTo({
      down: { bitsPerSecond: 4_000_000, delayMs: 20 },
      up: { delayMs: 20 },
    });
    const startedAt = performance.now();
    await get(line, 100_000);
    // The handshake, the request, and 200 ms of bytes.
    expect(performance.now() - startedAt).toBeGreaterThan(20 * 4 + 195);
  });

  test('it stands still until it is told to go on', async () => {
    const line = await lineTo({ down: { bitsPerSecond: 0 } });
    const asked = get(line, 5_000);
    await get(await lineTo({}), 5_000);
    expect(line.downBytes).toBe(0);
    line.shape({ down: { bitsPerSecond: Number.POSITIVE_INFINITY } });
    expect(await asked).toBe(5_000);
  });

  test('a cut ends what is under way', async () => {
    const line = await lineTo({ down: { bitsPerSecond: 80_000 } });
    const asked = get(line, 100_000).catch(() => 'cut');
    while (line.downBytes === 0) await Bun.sleep(1);
    line.cut();
    expect(await asked).toBe('cut');
  });
});
