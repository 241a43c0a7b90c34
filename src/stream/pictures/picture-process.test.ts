// The picture process: a real key frame becomes a JPEG, and one that hangs, crashes or talks nonsense harms nobody.
import { afterAll, describe, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { temporaryFolder } from '../../../test/support/engines.ts';
import { patience } from '../../../test/support/machine-pace.ts';
import { clipPackets } from '../../../test/support/media.ts';
import type { VideoTrack } from '../formats/packet.ts';
import { PictureProcess } from './picture-process.ts';

const memoryBytesMax = 512 * 1_048_576;
const decodeWithinMs = patience(20_000);
const { tracks, packets } = clipPackets(1);
const videoTrack = tracks.find(({ kind }) => kind === 'video') as VideoTrack;
const { record } = videoTrack;
const bytes = packets.find(({ kind }) => kind === 'video')?.bytes ?? new Uint8Array();

describe('our own', () => {
  const pictures = new PictureProcess({ memoryBytesMax, decodeWithinMs });
  afterAll(() => pictures.stop());

  test('makes JPEGs of key frames, one after the other, no wider than 480', async () => {
    for (let round = 0; round < 3; round++) {
      const answer = await pictures.make({ record, bytes });
      const { width, height } = sizeOf(answer.made ?? new Uint8Array());
      expect({ width, height }).toEqual({
        width: Math.min(480, videoTrack.width),
        height: expect.any(Number),
      });
      expect(width / height).toBeCloseTo(videoTrack.width / videoTrack.height, 1);
    }
  });

  test('says why where there is none, and goes on', async () => {
    const broken = bytes.map((byte, at) => (at < 5 ? byte : 0));
    expect(await pictures.make({ record, bytes: broken })).toMatchObject({ why: 'failed' });
    expect(await pictures.make({ record: new Uint8Array(3), bytes })).toMatchObject({
      why: 'failed',
    });
    expect((await pictures.make({ record, bytes })).made).toBeDefined();
  });

  test('refuses what is too large to decode before it decodes', async () => {
    const small = new PictureProcess({ memoryBytesMax: 1_048_576 * 2, decodeWithinMs });
    const answer = await small.make({ record, bytes });
    small.stop();
    // It may be ended for its own size first.
    expect(answer.made).toBeUndefined();
  });
});

describe('one that', () => {
  const stubs = {
    crashes: 'process.exit(3);',
    hangs: 'setInterval(() => {}, 1_000);',
    'talks nonsense': 'console.log("x".repeat(100)); setInterval(() => {}, 1_000);',
  };
  test.each(Object.entries(stubs))(
    '%s has an answer, and the next is asked anew',
    async (name, script) => {
      const file = join(temporaryFolder(), `${name.replace(' ', '-')}.ts`);
      writeFileSync(file, `process.stdin.once('data', () => { ${script} });`);
      const withinMs = name === 'hangs' ? 500 : decodeWithinMs;
      const process = new PictureProcess({
        memoryBytesMax,
        decodeWithinMs: withinMs,
        workerUrl: pathToFileURL(file),
      });
      for (let round = 0; round < 2; round++)
        expect(await process.make({ record, bytes })).toMatchObject({
          made: undefined,
          why: 'failed',
        });
      process.stop();
    },
  );
});

/** Of a JPEG: its start of frame. */
function sizeOf(jpeg: Uint8Array): { width: number; height: number } {
  const all = Buffer.from(jpeg);
  expect(all.subarray(0, 2).toString('hex')).toBe('ffd8');
  for (let at = 2; at < all.length; ) {
    const marker = all.readUInt16BE(at);
    if (marker === 0xffc0)
      return { height: all.readUInt16BE(at + 5), width: all.readUInt16BE(at + 7) };
    at += 2 + all.readUInt16BE(at + 2);
  }
  return { width: 0, height: 0 };
}
