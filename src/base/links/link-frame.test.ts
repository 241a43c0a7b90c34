import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { type FrameKind, frameKinds, readFrame, writeFrame } from './link-frame.ts';
import { LinkLane, LinkLanes } from './link-lanes.ts';
import { linkLimits } from './link-limits.ts';
import { LinkPieces } from './link-pieces.ts';

const kinds = Object.keys(frameKinds) as FrameKind[];

test('a frame is read as it was written', () => {
  const frame = fc.record({
    kind: fc.constantFrom(...kinds),
    more: fc.boolean(),
    gap: fc.boolean(),
    topic: fc.nat(65_535),
    id: fc.nat(2 ** 32 - 1),
    piece: fc.uint8Array({ maxLength: 100 }),
  });
  fc.assert(
    fc.property(frame, (given) => {
      const { piece, ...head } = given;
      expect(readFrame(writeFrame(head, piece))).toEqual(given);
    }),
  );
});

test('bytes that are no frame are none, and nothing throws', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
      const frame = readFrame(bytes);
      if (frame) expect(bytes.length).toBeGreaterThanOrEqual(8);
    }),
  );
  expect(readFrame(new Uint8Array(0))).toBeUndefined();
  expect(readFrame(writeFrame({ kind: 'ping' }).subarray(0, 7))).toBeUndefined();
});

test('messages of several lanes come whole and in their order, whatever their lengths', () => {
  const message = fc.record({ lane: fc.nat(3), bytes: fc.uint8Array({ maxLength: 300 }) });
  fc.assert(
    fc.property(
      fc.array(message, { maxLength: 30 }),
      fc.integer({ min: 9, max: 64 }),
      (all, max) => {
        const lanes = new LinkLanes();
        const lane = Array.from({ length: 4 }, () => new LinkLane());
        for (const [id, one] of all.entries()) {
          const own = lane[one.lane];
          if (own) lanes.push(own, { kind: 'message', topic: one.lane, id, bytes: one.bytes });
        }
        const pieces = new LinkPieces();
        const came: { topic: number; id: number; bytes: number[] }[] = [];
        for (let bytes = lanes.next(max); bytes; bytes = lanes.next(max)) {
          expect(bytes.length).toBeLessThanOrEqual(max);
          const frame = readFrame(bytes);
          const whole = frame && pieces.add(frame);
          if (frame && whole && whole !== 'flood')
            came.push({ topic: frame.topic, id: frame.id, bytes: [...whole] });
        }
        for (let topic = 0; topic < 4; topic += 1)
          expect(came.filter((one) => one.topic === topic).map(({ id }) => id)).toEqual(
            all.flatMap((one, id) => (one.lane === topic ? [id] : [])),
          );
        for (const { id, bytes } of came) expect(bytes).toEqual([...(all[id]?.bytes ?? [])]);
        expect(came).toHaveLength(all.length);
      },
    ),
  );
});

test('a long message lets short ones of other lanes by', () => {
  const lanes = new LinkLanes();
  const [long, short] = [new LinkLane(), new LinkLane()];
  lanes.push(long, { kind: 'part', id: 1, bytes: new Uint8Array(1_000) });
  lanes.push(short, { kind: 'message', id: 2, bytes: new Uint8Array(5) });
  const order = [lanes.next(100), lanes.next(100), lanes.next(100)];
  expect(order.map((bytes) => bytes && readFrame(bytes)?.id)).toEqual([1, 2, 1]);
});

test('what has begun to go is not dropped', () => {
  const lane = new LinkLane();
  lane.push({ kind: 'part', id: 1, bytes: new Uint8Array(100) });
  lane.push({ kind: 'part', id: 2, bytes: new Uint8Array(100) });
  lane.next(50);
  expect(lane.dropAll()).toBe(1);
  expect(lane.bytes).toBe(100);
  expect(lane.dropOldest()).toBe(0);
});

test('pieces without an end are a flood: of one message, of many, and empty ones', () => {
  const piece = new Uint8Array(65_536);
  const floods = (idOf: (i: number) => number, bytes: Uint8Array) => {
    const pieces = new LinkPieces();
    for (let i = 0; i < 100_000; i += 1) {
      const head = { kind: 'part', more: true, gap: false, topic: 0, id: idOf(i) } as const;
      if (pieces.add({ ...head, piece: bytes }) === 'flood') return i * bytes.length;
    }
    return Number.POSITIVE_INFINITY;
  };
  expect(floods(() => 1, piece)).toBeLessThanOrEqual(linkLimits.messageBytesMax);
  expect(floods((i) => i, piece)).toBeLessThanOrEqual(linkLimits.partialBytesMax);
  // What keeps them costs more than they do.
  expect(floods((i) => i, new Uint8Array(0))).toBe(0);
  expect(floods((i) => i, new Uint8Array(1))).toBeLessThan(100_000);
});
