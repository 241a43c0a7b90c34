import { describe, expect, test } from 'bun:test';
import { AggregateParts, type Message, messageType, uint32, WireError } from './message.ts';

describe('an aggregate', () => {
  const aggregate = (timestamp: number, ...parts: Uint8Array[]) => ({
    type: messageType.aggregate,
    streamId: 1,
    timestamp,
    body: Buffer.concat(parts),
  });

  test('has the timestamp of its first part, from which the others keep their distance', () => {
    const parts = aggregateParts(
      aggregate(5_000, part(8, 0x01000010, 'sound'), part(9, 0x01000031, 'picture')),
    );
    expect(parts.map(({ type, timestamp }) => [type, timestamp])).toEqual([
      [8, 5_000],
      [9, 5_033],
    ]);
    expect(parts.map(({ body }) => Buffer.from(body).toString())).toEqual(['sound', 'picture']);
  });

  test('may cross the wrap', () => {
    const parts = aggregateParts(aggregate(0xfffffff0, part(8, 0, ''), part(8, 32, '')));
    expect(parts.map(({ timestamp }) => timestamp)).toEqual([0xfffffff0, 16]);
  });

  test('may leave out the last size', () => {
    const bytes = part(8, 0, 'sound');
    expect(aggregateParts(aggregate(0, bytes.subarray(0, -4)))).toHaveLength(1);
  });

  test('holds sound and pictures; what else is in it is nothing', () => {
    const parts = aggregateParts(aggregate(0, part(20, 0, 'x'), part(22, 0, 'x'), part(8, 0, 'x')));
    expect(parts.map(({ type }) => type)).toEqual([0, 0, 8]);
  });

  test('is the same where its bytes go in the middle', () => {
    const whole = aggregate(0, part(8, 5, 'one'), part(9, 6, 'two'), part(8, 7, 'three'));
    const parts = new AggregateParts(whole);
    expect(Buffer.from(parts.next()?.body ?? []).toString()).toBe('one');
    parts.keep();
    whole.body.fill(0);
    const rest = [parts.next(), parts.next(), parts.next()];
    expect(rest.map((one) => one && Buffer.from(one.body).toString())).toEqual([
      'two',
      'three',
      undefined,
    ]);
  });

  test('that is cut anywhere else is refused', () => {
    const bytes = part(8, 0, 'sound');
    for (let length = 1; length < bytes.length - 4; length += 1) {
      expect(() => aggregateParts(aggregate(0, bytes.subarray(0, length)))).toThrow(WireError);
    }
  });
});

function aggregateParts(aggregate: Message): Message[] {
  const parts = new AggregateParts(aggregate);
  const all: Message[] = [];
  for (let part = parts.next(); part; part = parts.next()) all.push(part);
  return all;
}

function part(type: number, timestamp: number, text: string): Uint8Array {
  const body = Buffer.from(text);
  const size = uint32(body.length).subarray(1);
  const time = [...uint32(timestamp).subarray(1), timestamp >>> 24];
  return Buffer.from([type, ...size, ...time, 0, 0, 0, ...body, ...uint32(body.length + 11)]);
}
