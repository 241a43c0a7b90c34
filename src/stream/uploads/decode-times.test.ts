// When packets are decoded, found from when they are shown.
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { MediaError } from '../formats/packet.ts';
import { interleaved, type PlacedPacket, pictureTimes, soundTimes } from './decode-times.ts';
import type { FilePacket } from './media-file.ts';

const bytes = new Uint8Array();

async function* shown(...times: number[]): AsyncGenerator<FilePacket> {
  for (const shownMs of times) yield { bytes, shownMs, durationMs: 40 };
}

async function all(packets: AsyncIterable<PlacedPacket>): Promise<[number, number, number][]> {
  const placed: [number, number, number][] = [];
  for await (const { dtsMs, ptsMs, durationMs } of packets) placed.push([dtsMs, ptsMs, durationMs]);
  return placed;
}

describe('pictures', () => {
  test('in the order they are shown are decoded then, and last until the next', async () => {
    expect(await all(pictureTimes(shown(0, 40, 100)))).toEqual([
      [0, 0, 40],
      [40, 40, 60],
      [100, 100, 40],
    ]);
  });

  test('that are reordered are decoded early enough', async () => {
    // I0 P3 B1 B2
    expect(await all(pictureTimes(shown(0, 120, 40, 80)))).toEqual([
      [-40, 0, 40],
      [0, 120, 40],
      [40, 40, 40],
      [80, 80, 40],
    ]);
  });

  test('are decoded before sound that begins a little earlier, and not long before', async () => {
    expect((await all(pictureTimes(shown(0, 40), -21)))[0]).toEqual([-21, 0, 40]);
    expect((await all(pictureTimes(shown(0, 40), -5_000)))[0]).toEqual([0, 0, 40]);
  });

  test('shown at the same time are decoded one after the other', async () => {
    const placed = await all(pictureTimes(shown(0, 0, 0, 40)));
    expect(placed.map(([dtsMs]) => dtsMs)).toEqual([0, 1, 2, 40]);
  });

  test('whose times go back are refused', async () => {
    const again = Array.from({ length: 400 }, (_, at) => (at % 200) * 40);
    await expect(all(pictureTimes(shown(...again)))).rejects.toThrow(MediaError);
  });

  test('of any group keep their times, in rising order', async () => {
    const groups = fc.array(fc.shuffledSubarray([1, 2, 3, 4, 5, 6, 7], { minLength: 7 }), {
      maxLength: 30,
    });
    await fc.assert(
      fc.asyncProperty(groups, async (orders) => {
        const times = orders.flatMap((order, at) => order.map((place) => 40 * (7 * at + place)));
        const placed = await all(pictureTimes(shown(...times)));
        expect(placed.map(([, ptsMs]) => ptsMs)).toEqual(times);
        for (const [at, [dtsMs, , durationMs]] of placed.entries()) {
          const next = placed[at + 1];
          if (next) expect(next[0]).toBe(dtsMs + durationMs);
          expect(durationMs).toBeGreaterThan(0);
        }
      }),
    );
  });
});

test('sound may go back by a little and not by seconds', async () => {
  expect(await all(soundTimes(shown(0, 21, 20, 42)))).toHaveLength(4);
  await expect(all(soundTimes(shown(0, 60_000, 21)))).rejects.toThrow(MediaError);
});

test('tracks are joined in the order of decoding, whichever ends first', async () => {
  const joined = interleaved([soundTimes(shown(0, 50)), soundTimes(shown(10, 20, 70, 80))]);
  expect((await all(joined)).map(([dtsMs]) => dtsMs)).toEqual([0, 10, 20, 50, 70, 80]);
});
