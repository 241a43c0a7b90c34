// Packets that wait for the end of their part, in memory that is used again.
import { describe, expect, test } from 'bun:test';
import { clipPackets } from '../../../test/support/media.ts';
import { keep } from '../../base/bytes/memory.ts';
import { PendingSamples, type TimedSample } from './segment-writer.ts';

const { tracks } = clipPackets(1);

function sample(kind: 'video' | 'audio', atMs: number, size: number): TimedSample {
  const track = tracks.find((one) => one.kind === kind);
  if (!track) throw new Error(`the clip has no ${kind}`);
  const times = { atMs, time: atMs, duration: 40 };
  return { ...times, track, size, isKey: true, compositionOffset: 0 };
}

function countedBytes() {
  const held = { bytes: 0, set: (bytes: number) => Object.assign(held, { bytes }) };
  return held;
}

describe('what waits for the end of its part', () => {
  test('is its own: the publisher has the bytes again at once', () => {
    const pending = new PendingSamples();
    const sent = Uint8Array.of(1, 2, 3);
    pending.add(sample('video', 0, 3), sent);
    sent.fill(9);
    pending.add(sample('audio', 10, 3), sent);
    sent.fill(7);
    const { pictures, sounds } = pending.takeBefore(100);
    expect([...keep(pictures.bytes)]).toEqual([1, 2, 3]);
    expect([...keep(sounds.bytes)]).toEqual([9, 9, 9]);
  });

  test('keeps its bytes when the part before it is taken and the next one is filled', () => {
    const pending = new PendingSamples();
    const taken = (border: number) => [...keep(pending.takeBefore(border).sounds.bytes)];
    for (const atMs of [0, 100, 200, 300])
      pending.add(sample('audio', atMs, 1), Uint8Array.of(atMs / 100));
    expect(taken(150)).toEqual([0, 1]);
    pending.add(sample('audio', 400, 1), Uint8Array.of(4));
    expect(taken(350)).toEqual([2, 3]);
    expect(taken(450)).toEqual([4]);
    expect([pending.bytes, taken(500).length]).toEqual([0, 0]);
  });

  test('costs little more than itself, whatever large pictures came meanwhile', () => {
    const held = countedBytes();
    const pending = new PendingSamples(held);
    for (let round = 0; round < 20; round += 1) {
      pending.add(sample('audio', 10_000 + round, 10), new Uint8Array(10).fill(round));
      const size = 200_000 * (round + 1);
      pending.add(sample('video', round, size), new Uint8Array(size));
      pending.takeBefore(round + 1);
    }
    expect(held.bytes).toBeGreaterThan(4_000_000);
    for (let round = 20; round < 40; round += 1) {
      pending.add(sample('video', round, 100), new Uint8Array(100));
      pending.takeBefore(round + 1);
    }
    expect(held.bytes).toBeLessThan(100_000);
    const { samples, bytes } = pending.takeBefore(20_000).sounds;
    expect(samples).toHaveLength(20);
    expect([...keep(bytes)]).toEqual(Array.from({ length: 200 }, (_, at) => Math.floor(at / 10)));
  });

  test('is freed with all its memory', () => {
    const held = countedBytes();
    const pending = new PendingSamples(held);
    pending.add(sample('video', 0, 100_000), new Uint8Array(100_000));
    pending.clear();
    expect([held.bytes, pending.bytes]).toEqual([0, 0]);
    pending.add(sample('audio', 0, 1), Uint8Array.of(5));
    expect([...keep(pending.takeBefore(100).sounds.bytes)]).toEqual([5]);
  });
});
