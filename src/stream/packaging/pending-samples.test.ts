import { describe, expect, test } from 'bun:test';
import { clipPackets } from '../../../test/support/media.ts';
import { PendingSamples, type TimedSample } from './pending-samples.ts';

const { tracks } = clipPackets(1);

function sample(kind: 'video' | 'audio', atMs: number, bytes: Uint8Array): TimedSample {
  const track = tracks.find((one) => one.kind === kind);
  if (!track) throw new Error(`the clip has no ${kind}`);
  const times = { atMs, time: atMs, duration: 40 };
  return { ...times, track, bytes, isKey: true, compositionOffset: 0 };
}

const bytesOf = (samples: readonly TimedSample[]) => samples.map(({ bytes }) => [...bytes]);

describe('what waits for the end of its part', () => {
  test('is its own: the publisher has the bytes again at once', () => {
    const pending = new PendingSamples();
    const sent = Uint8Array.of(1, 2, 3);
    pending.add(sample('video', 0, sent));
    sent.fill(9);
    pending.add(sample('audio', 10, sent));
    sent.fill(7);
    const { pictures, sounds } = pending.takeBefore(100);
    expect(bytesOf(pictures)).toEqual([[1, 2, 3]]);
    expect(bytesOf(sounds)).toEqual([[9, 9, 9]]);
  });

  test('keeps its bytes when the part before it is taken and the next one is filled', () => {
    const pending = new PendingSamples();
    for (const atMs of [0, 100, 200, 300])
      pending.add(sample('audio', atMs, Uint8Array.of(atMs / 100)));
    expect(bytesOf(pending.takeBefore(150).sounds)).toEqual([[0], [1]]);
    pending.add(sample('audio', 400, Uint8Array.of(4)));
    expect(bytesOf(pending.takeBefore(350).sounds)).toEqual([[2], [3]]);
    expect(bytesOf(pending.takeBefore(450).sounds)).toEqual([[4]]);
    expect(pending.bytes).toBe(0);
  });

  test('holds no more than its own bytes, whatever large pictures came meanwhile', () => {
    const pending = new PendingSamples();
    const late: TimedSample[] = [];
    for (let round = 0; round < 20; round += 1) {
      const sound = sample('audio', 10_000 + round, new Uint8Array(10).fill(round));
      late.push(sound);
      pending.add(sound);
      pending.add(sample('video', round, new Uint8Array(200_000 * (round + 1))));
      pending.takeBefore(round + 1);
    }
    expect(late.map(({ bytes }) => bytes.buffer.byteLength)).toEqual(late.map(() => 10));
    expect(bytesOf(pending.takeBefore(20_000).sounds)).toEqual(
      late.map((_, round) => Array.from({ length: 10 }, () => round)),
    );
  });
});
