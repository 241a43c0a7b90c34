// A picture that would take gigabytes to decode is refused by what its parameters say.
import { describe, expect, test } from 'bun:test';
import { temporaryFolder } from '../../../../test/support/engines.ts';
import { type ForgedPicture, forgedRecord } from '../../../../test/support/forged-record.ts';
import { clipPackets } from '../../../../test/support/media.ts';
import { recordPush } from '../../../../test/support/recorded-push.ts';
import { videoTrackOf } from '../../formats/h264.ts';
import { checkPictures, TooLarge } from './picture-check.ts';
import { runOrder } from './run-order.ts';

const memoryBytesMax = 768 * 1_048_576;
const hd = { columns: 120, rows: 68, referenceFrames: 4 };
const small = { columns: 40, rows: 23, referenceFrames: 1 };
const huge = { columns: 512, rows: 512, referenceFrames: 16 };

type Pictures = [ForgedPicture, ...ForgedPicture[]];

describe('the picture of a recording', () => {
  const decoded: [string, Pictures[]][] = [
    ['1080p', [[hd]]],
    ['1080p with all the references there may be', [[{ ...hd, referenceFrames: 16 }]]],
    ['4K', [[{ columns: 240, rows: 135, referenceFrames: 5 }]]],
    ['a size that changes', [[hd], [small], [hd]]],
  ];
  test.each(decoded)('may be %s', async (_, clips) => {
    await checkPictures(await recorded(clips), memoryBytesMax);
  });

  const refused: [string, Pictures[], string][] = [
    ['of 8,192 pixels each way', [[huge]], '8192x8192 with 16 reference frames takes 1824 MB'],
    ['as large, without references', [[{ ...huge, referenceFrames: 1 }]], 'takes 384 MB'],
    [
      'cropped to a stamp',
      [[{ ...huge, cropRight: 4_088, cropBottom: 4_088 }]],
      '16x16 with 16 reference frames takes 1824 MB',
    ],
    ['in the second parameter set', [[hd, { ...huge, id: 1 }]], '8192x8192'],
    ['large only later on', [[small], [huge]], '8192x8192'],
  ];
  test.each(refused)('is refused when it is %s', async (_, clips, words) => {
    const checked = checkPictures(await recorded(clips), memoryBytesMax - 1);
    await expect(checked).rejects.toBeInstanceOf(TooLarge);
    await expect(checked).rejects.toThrow(words);
  });
});

test('the MP4 of such a recording is made; what must be decoded is given up with a sentence', async () => {
  const folder = await recorded([[huge]]);
  const { signal } = new AbortController();
  expect(await runOrder({ kind: 'mp4', folder, memoryBytesMax }, { signal })).toMatchObject({
    ok: true,
  });
  for (const kind of ['cover', '480'] as const) {
    expect<unknown>(await runOrder({ kind, folder, memoryBytesMax }, { signal })).toEqual({
      ok: false,
      problem: expect.stringContaining('half of JOB_MEMORY'),
      final: 'picture',
    });
  }
});

/** A second of the clip for each, whose parameters say that its pictures are these. */
async function recorded(clips: Pictures[]): Promise<string> {
  const folder = temporaryFolder();
  const { tracks, packets } = clipPackets(1);
  const bent = clips.map((pictures) => {
    const forged = videoTrackOf(forgedRecord(...pictures));
    return { tracks: tracks.map((track) => (track.kind === 'video' ? forged : track)), packets };
  });
  await recordPush(folder, ...bent);
  return folder;
}
