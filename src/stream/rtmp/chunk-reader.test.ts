// Chunks as encoders write them, by hand and from real sessions, cut and bent in every way.
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  bent,
  captures,
  handshakeBytes,
  randomCuts,
  seeded,
} from '../../../test/fixtures/rtmp/replay.ts';
import { readMessages } from '../../../test/support/read-messages.ts';
import { keep } from '../../base/bytes/memory.ts';
import { MediaError } from '../formats/packet.ts';
import { ChunkReader } from './chunk-reader.ts';
import { chunksOf } from './chunk-writer.ts';
import { type Message, messageType, uint32, WireError } from './message.ts';
import { readCommand } from './rtmp-command.ts';
import { type RtmpLimits, rtmpLimits } from './rtmp-limits.ts';

describe('headers', () => {
  test('of each format take from the one before what they leave out', () => {
    const bytes = [
      ...full({ id: 6, timestamp: 1_000, length: 2, type: 9, streamId: 0x04030201 }, 'ab'),
      ...[0x46, 0, 0, 40, 0, 0, 3, 8, ...text('cde')],
      ...[0x86, 0, 0, 20, ...text('fgh')],
      ...[0xc6, ...text('ijk')],
    ];
    expect(read(bytes)).toEqual([
      { type: 9, streamId: 0x04030201, timestamp: 1_000, body: 'ab' },
      { type: 8, streamId: 0x04030201, timestamp: 1_040, body: 'cde' },
      { type: 8, streamId: 0x04030201, timestamp: 1_060, body: 'fgh' },
      { type: 8, streamId: 0x04030201, timestamp: 1_080, body: 'ijk' },
    ]);
  });

  test('of format 3 after format 0 take the timestamp for the difference', () => {
    const bytes = [...full({ timestamp: 23, length: 1 }, 'a'), 0xc6, ...text('b')];
    expect(timestamps(bytes)).toEqual([23, 46]);
  });

  test.each([
    ['one byte', 63, [63]],
    ['two bytes', 64, [0, 0]],
    ['two bytes', 319, [0, 255]],
    ['three bytes', 320, [1, 0, 1]],
    ['three bytes', 65_599, [1, 255, 255]],
  ])('of %s name chunk stream %d', (_size, id, basic) => {
    const head = [...full({ id: 2, length: 4, type: messageType.abort }, uint32(id))];
    const half = [...basic, 0, 0, 0, 0, 0, 200, 9, 1, 0, 0, 0, ...new Array(128).fill(1)];
    const whole = [...basic, 0, 0, 0, 0, 0, 1, 9, 1, 0, 0, 0, 7];
    // Only the stream of that id is aborted, so the new message does not begin inside the old.
    expect(read([...half, ...head, ...whole])).toHaveLength(1);
    expect(() => read([...half, ...whole])).toThrow(WireError);
  });

  test('may open a chunk stream with format 1, as librtmp does', () => {
    expect(timestamps([0x42, 0, 0, 5, 0, 0, 1, 4, 0])).toEqual([5]);
  });

  test.each([0x82, 0xc2])('may not open one with less (0x%s)', (first) => {
    expect(() => read([first, 0, 0, 5])).toThrow(WireError);
  });

  test('with a length of 0 make an empty message', () => {
    expect(read(full({ length: 0 }, ''))).toEqual([
      { type: 9, streamId: 1, timestamp: 0, body: '' },
    ]);
  });
});

describe('extended timestamps', () => {
  const long = 'x'.repeat(300);
  const parts = [long.slice(0, 128), long.slice(128, 256), long.slice(256)] as const;
  const extended = (timestamp: number) => [
    ...full({ timestamp: 0xffffff, length: 300 }, ''),
    ...uint32(timestamp),
  ];

  test.each([0xffffff, 0x1000000, 0xffffffff])('of %d are read', (timestamp) => {
    const again = uint32(timestamp);
    const [a, b, c] = parts;
    const bytes = [
      ...extended(timestamp),
      ...text(a),
      0xc6,
      ...again,
      ...text(b),
      0xc6,
      ...again,
      ...text(c),
    ];
    expect(read(bytes)).toEqual([{ type: 9, streamId: 1, timestamp, body: long }]);
  });

  test('need not be repeated in chunks of format 3', () => {
    const [a, b, c] = parts;
    const bytes = [...extended(0x1000000), ...text(a), 0xc6, ...text(b), 0xc6, ...text(c)];
    expect(read(bytes)).toEqual([{ type: 9, streamId: 1, timestamp: 0x1000000, body: long }]);
  });

  test('may be repeated as the sum where the header held the difference', () => {
    const start = [...full({ timestamp: 7, length: 1 }, 'a')];
    const head = [0x46, 0xff, 0xff, 0xff, 0, 0, 200, 9, ...uint32(0x1000000)];
    const sum = uint32(0x1000007);
    const bytes = [
      ...start,
      ...head,
      ...text('b'.repeat(128)),
      0xc6,
      ...sum,
      ...text('b'.repeat(72)),
    ];
    expect(read(bytes).map(({ timestamp, body }) => [timestamp, body])).toEqual([
      [7, 'a'],
      [0x1000007, 'b'.repeat(200)],
    ]);
  });

  test('wrap with a difference', () => {
    const bytes = [
      ...full({ timestamp: 0xffffff, length: 1 }, ''),
      ...[...uint32(0xfffffff0), ...text('a')],
      ...[0x86, 0, 0, 40, ...text('b')],
    ];
    expect(timestamps(bytes)).toEqual([0xfffffff0, 24]);
  });
});

describe('messages', () => {
  test('of several chunk streams may come between one another', () => {
    const bytes = [
      ...full({ id: 6, length: 200 }, 'v'.repeat(128)),
      ...full({ id: 4, length: 130, type: 8 }, 'a'.repeat(128)),
      ...[0xc6, ...text('v'.repeat(72))],
      ...[0xc4, ...text('aa')],
    ];
    expect(read(bytes).map(({ type, body }) => [type, body])).toEqual([
      [9, 'v'.repeat(200)],
      [8, 'a'.repeat(130)],
    ]);
  });

  test('are cut by a new chunk size from the next chunk on', () => {
    const bytes = [
      ...full({ id: 6, length: 300 }, 'v'.repeat(128)),
      ...full({ id: 2, length: 4, type: messageType.setChunkSize, streamId: 0 }, uint32(170)),
      ...[0xc6, ...text('v'.repeat(170)), 0xc6, ...text('vv')],
    ];
    expect(read(bytes)).toEqual([{ type: 9, streamId: 1, timestamp: 0, body: 'v'.repeat(300) }]);
  });

  test('that are aborted are forgotten', () => {
    const bytes = [
      ...full({ id: 6, length: 300 }, 'v'.repeat(128)),
      ...full({ id: 2, length: 4, type: messageType.abort, streamId: 0 }, uint32(6)),
      ...full({ id: 6, length: 1 }, 'w'),
    ];
    expect(read(bytes)).toEqual([{ type: 9, streamId: 1, timestamp: 0, body: 'w' }]);
  });

  test('are lent: those in many chunks follow one another in one memory', () => {
    const picture = (letter: string) =>
      chunked({ id: 6, type: 9, body: letter.repeat(200), chunkBytes: 128 });
    const reader = readerOf();
    reader.feed(Uint8Array.from([...picture('a'), ...picture('b')]));
    const bodies = [reader.next(), reader.next()].map(
      (message) => message?.body ?? new Uint8Array(),
    );
    expect(bodies.map((body) => Buffer.from(keep(body)).toString())).toEqual([
      'b'.repeat(200),
      'b'.repeat(200),
    ]);
  });

  test('of media that are very long leave no memory behind', () => {
    const reader = readerOf();
    const setSize = full(
      { id: 2, length: 4, type: messageType.setChunkSize, streamId: 0 },
      uint32(65_536),
    );
    const long = chunked({ id: 6, type: 9, body: 'x'.repeat(300_000), chunkBytes: 65_536 });
    reader.feed(Uint8Array.from([...setSize, ...long, ...long]));
    reader.next();
    const first = reader.next()?.body;
    expect(first).toHaveLength(300_000);
    const second = reader.next()?.body;
    expect([first?.length, second?.length]).toEqual([0, 300_000]);
  });

  test('that were written are read, whatever their size, chunks and cuts', () => {
    const message = fc.record({
      type: fc.constantFrom(8, 9, 18, 20),
      streamId: fc.nat(0xffffffff),
      timestamp: fc.oneof(fc.nat(0xffffffff), fc.integer({ min: 0xfffffe, max: 0x1000001 })),
      body: fc.array(fc.uint8Array({ maxLength: 700 }), { maxLength: 3 }),
    });
    const seed = fc.integer();
    const chunkBytes = fc.integer({ min: 1, max: 900 });
    fc.assert(
      fc.property(fc.array(message, { maxLength: 6 }), chunkBytes, seed, (sent, size, cuts) => {
        const setSize = { type: 1, streamId: 0, timestamp: 0, body: [uint32(size)] };
        const chunks = [...chunksOf(setSize, 128), ...sent.flatMap((one) => chunksOf(one, size))];
        const reader = readerOf({ chunkBytesMin: 1 });
        const got = readCut(reader, randomCuts(Buffer.concat(chunks), 100, seeded(cuts)));
        const joined = sent.map((one) => ({ ...one, body: Buffer.concat(one.body).toHex() }));
        expect(got.map((one) => ({ ...one, body: keep(one.body).toHex() }))).toEqual(joined);
      }),
      { numRuns: 300 },
    );
  });
});

describe('aggregates', () => {
  test('come themselves and then part by part, whatever is between', () => {
    const bytes = [
      ...aggregate(['a', 'bc']),
      ...full({ id: 4, type: 8, length: 1 }, 's'),
      ...aggregate([]),
      ...aggregate(['d']),
    ];
    expect(read(bytes).map(({ type, body }) => [type, type === 22 ? '' : body])).toEqual([
      [22, ''],
      [9, 'a'],
      [9, 'bc'],
      [8, 's'],
      [22, ''],
      [22, ''],
      [9, 'd'],
    ]);
  });

  test('that are cut short give what comes before the cut', () => {
    const reader = readerOf();
    const body = 'x'.repeat(3);
    reader.feed(Uint8Array.from(full({ type: messageType.aggregate, length: 3 }, body)));
    expect(reader.next()?.type).toBe(messageType.aggregate);
    expect(() => reader.next()).toThrow('cut short');
  });
});

describe('stops', () => {
  test('the messages are the same wherever one stops and lets the bytes go', () => {
    const message = fc.record({
      type: fc.constantFrom(8, 9, 18, 20, messageType.setChunkSize, messageType.aggregate),
      sizes: fc.array(fc.nat(400), { maxLength: 6 }),
    });
    const seed = fc.integer();
    fc.assert(
      fc.property(fc.array(message, { maxLength: 8 }), seed, (sent, dice) => {
        const bytes = Uint8Array.from(sent.flatMap(bytesOf));
        const whole = readCut(readerOf(), [bytes]);
        expect(digest(readStopping(bytes, seeded(dice)))).toEqual(digest(whole));
      }),
      { numRuns: 500 },
    );
  });

  function bytesOf({ type, sizes }: { type: number; sizes: number[] }): number[] {
    const texts = sizes.map((size, at) => String.fromCharCode(97 + at).repeat(size));
    if (type === messageType.aggregate) return aggregate(texts);
    if (type === messageType.setChunkSize)
      return full({ id: 2, type, length: 4 }, uint32(firstChunkBytes));
    return texts.flatMap((body) => chunked({ id: 6, type, body, chunkBytes: firstChunkBytes }));
  }

  /** Some messages, then what was fed is taken back; then some more, and what comes next. */
  function readStopping(bytes: Uint8Array, random: () => number): Message[] {
    const reader = readerOf();
    const messages: Message[] = [];
    for (const piece of randomCuts(bytes, 900, random)) {
      const lent = Uint8Array.from(piece);
      reader.feed(lent);
      for (let isOver = false; !isOver; ) {
        const stop = Math.floor(random() * 4);
        const some = readMessages(reader, stop);
        messages.push(...some);
        reader.keep();
        lent.fill(0x55);
        isOver = stop > 0 && some.length < stop;
      }
    }
    return messages;
  }
});

describe('limits', () => {
  test.each([0, 127, 65_537, 0x80000001])('a chunk size of %d is refused', (size) => {
    const bytes = full({ id: 2, length: 4, type: 1, streamId: 0 }, uint32(size));
    expect(() => read(bytes)).toThrow(`A chunk size of ${size} bytes`);
  });

  test.each([128, 65_536])('a chunk size of %d is not', (size) => {
    expect(read(full({ id: 2, length: 4, type: 1, streamId: 0 }, uint32(size)))).toEqual([]);
  });

  test.each([
    ['a command', 20, 16_384],
    ['metadata', 18, 65_536],
    ['a picture', 9, 4_194_304],
    ['an aggregate', 22, 4_194_304],
  ])('%s may be so long and no longer', (_what, type, length) => {
    expect(read(full({ type, length }, 'x'))).toEqual([]);
    expect(() => read(full({ type, length: length + 1 }, 'x'))).toThrow(WireError);
  });

  test.each([9, 20])('a message of type %d of one who may not publish yet is short', (type) => {
    const stranger = (length: number) => {
      const reader = new ChunkReader(rtmpLimits);
      reader.feed(Uint8Array.from(full({ type, length }, 'x')));
      return reader.next();
    };
    expect(stranger(16_384)).toBeUndefined();
    expect(() => stranger(16_385)).toThrow(WireError);
  });

  test('the seventeenth chunk stream is refused', () => {
    const streams = (count: number) =>
      Array.from({ length: count }, (_, at) => full({ id: 3 + at, length: 1 }, 'x')).flat();
    expect(read(streams(16))).toHaveLength(16);
    expect(() => read(streams(17))).toThrow('More than 16 chunk streams');
  });

  test('what is half sent is bounded over all chunk streams', () => {
    const half = (id: number) => full({ id, type: 9, length: 4_000_000 }, 'x'.repeat(128));
    const reader = readerOf({ halfReadBytesMax: 3 * 65_536 });
    const halves = (count: number) => Array.from({ length: count }, (_, at) => half(3 + at)).flat();
    expect(readCut(reader, [Uint8Array.from(halves(3))])).toEqual([]);
    expect(() => readCut(reader, [Uint8Array.from(half(9))])).toThrow('half sent');
  });

  test('a length costs nothing before its bytes come', () => {
    const before = process.memoryUsage().arrayBuffers;
    const readers = Array.from({ length: 200 }, () => {
      const reader = readerOf();
      readCut(reader, [Uint8Array.from(full({ type: 9, length: 4_194_304 }, 'x'))]);
      return reader;
    });
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(40_000_000);
    expect(readers).toHaveLength(200);
  });
});

describe.each(captures)('the session of $name', ({ bytes }) => {
  const session = bytes.subarray(handshakeBytes);
  const whole = readCut(readerOf(), [session]);

  test('is read to its end', () => {
    const types = new Set(whole.map(({ type }) => type));
    expect([8, 9, 18, 20].every((type) => types.has(type))).toBe(true);
    expect(commandsOf(whole)).toContain('publish');
  });

  test('is the same byte by byte', () => {
    const bytewise = readCut(
      readerOf(),
      randomCuts(session, 1, () => 0),
    );
    expect(digest(bytewise)).toEqual(digest(whole));
  });

  test('is the same however it is cut', () => {
    for (let seed = 1; seed <= 6; seed += 1) {
      const cut = readCut(readerOf(), randomCuts(session, 10 ** (1 + (seed % 4)), seeded(seed)));
      expect(digest(cut)).toEqual(digest(whole));
    }
  });
});

describe('bent sessions', () => {
  const bentPerCapture = 5_000;

  test.each(captures)('of $name end in messages or in a declared error', ({ bytes }) => {
    const session = bytes.subarray(handshakeBytes);
    const random = seeded(bytes.length);
    const before = process.memoryUsage().arrayBuffers;
    const outcomes = { read: 0, refused: 0 };
    for (let round = 0; round < bentPerCapture; round += 1) {
      const prefix = session.subarray(0, 200 + Math.floor(random() * 4_000));
      outcomes[feedBent(bent(prefix, random), random)] += 1;
    }
    expect(outcomes.read + outcomes.refused).toBe(bentPerCapture);
    // Both must happen, or the bending is too weak or too strong to prove anything.
    expect(Math.min(outcomes.read, outcomes.refused)).toBeGreaterThan(bentPerCapture / 50);
    Bun.gc(true);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(50_000_000);
  });

  function feedBent(bytes: Uint8Array, random: () => number): 'read' | 'refused' {
    const reader = readerOf();
    try {
      for (const message of readCut(reader, randomCuts(bytes, 4_000, random))) use(message);
      return 'read';
    } catch (error) {
      if (error instanceof WireError || error instanceof MediaError) return 'refused';
      throw error;
    }
  }

  function use(message: Message): void {
    if (message.type === messageType.command) readCommand(message);
  }
});

const firstChunkBytes = 128;

/** Pictures in one message. */
function aggregate(texts: readonly string[]): number[] {
  const body = texts
    .map((value) => {
      const size = String.fromCharCode(0, value.length >> 8, value.length & 0xff);
      return `\t${size}${'\0'.repeat(7)}${value}${'\0'.repeat(4)}`;
    })
    .join('');
  const bytes = Buffer.from(body, 'latin1');
  return [
    ...chunksOf({ type: 22, streamId: 1, timestamp: 0, body: [bytes] }, firstChunkBytes),
  ].flatMap((piece) => [...piece]);
}

interface Head {
  id?: number;
  timestamp?: number;
  length: number;
  type?: number;
  streamId?: number;
}

/** A chunk of format 0; `length` is what the header says, whatever payload follows. */
function full(
  { id = 6, timestamp = 0, length, type = 9, streamId = 1 }: Head,
  payload: string | Uint8Array,
): number[] {
  const three = (value: number) => uint32(value).subarray(1);
  const body = typeof payload === 'string' ? text(payload) : payload;
  return [id, ...three(timestamp), ...three(length), type, ...uint32(streamId).reverse(), ...body];
}

function text(value: string): Uint8Array {
  return new TextEncoder().encode(value);
}

function readerOf(limits: Partial<RtmpLimits> = {}): ChunkReader {
  const reader = new ChunkReader({ ...rtmpLimits, ...limits });
  reader.allowMedia();
  return reader;
}

/** Every message, whole, byte by byte, and in two pieces cut anywhere. */
function read(bytes: number[]) {
  const whole = Uint8Array.from(bytes);
  const messages = readCut(readerOf(), [whole]);
  expect(
    readCut(
      readerOf(),
      randomCuts(whole, 1, () => 0),
    ),
  ).toEqual(messages);
  for (let at = 1; at < Math.min(whole.length, 600); at += 1) {
    const cut = readCut(readerOf(), [whole.subarray(0, at), whole.subarray(at)]);
    expect(digest(cut)).toEqual(digest(messages));
  }
  return messages.map((message) => ({ ...message, body: Buffer.from(message.body).toString() }));
}

function timestamps(bytes: number[]): number[] {
  return read(bytes).map(({ timestamp }) => timestamp);
}

function readCut(reader: ChunkReader, pieces: Iterable<Uint8Array>): Message[] {
  const messages: Message[] = [];
  for (const piece of pieces) {
    reader.feed(Uint8Array.from(piece));
    messages.push(...readMessages(reader));
    reader.keep();
  }
  return messages;
}

function digest(messages: readonly Message[]): string[] {
  return messages.map(
    ({ type, streamId, timestamp, body }) =>
      `${type} ${streamId} ${timestamp} ${body.length} ${Bun.hash(keep(body))}`,
  );
}

function commandsOf(messages: readonly Message[]): string[] {
  return messages
    .filter(({ type }) => type === messageType.command)
    .map((message) => readCommand(message).name);
}

/** A message with its first header and those that go on with it. */
function chunked(given: { id: number; type: number; body: string; chunkBytes: number }): number[] {
  const { id, type, body, chunkBytes } = given;
  const bytes = full({ id, type, length: body.length }, body.slice(0, chunkBytes));
  for (let at = chunkBytes; at < body.length; at += chunkBytes)
    bytes.push(0xc0 | id, ...text(body.slice(at, at + chunkBytes)));
  return bytes;
}
