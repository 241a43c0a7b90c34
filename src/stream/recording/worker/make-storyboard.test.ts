// Storyboards made of real recordings, as ffmpeg sees them.
import { expect } from 'bun:test';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { testWith } from '../../../../test/support/needs.ts';
import { noFfmpeg, outside, recordedClips } from '../../../../test/support/recorded-clip.ts';
import type { Answer } from './order.ts';
import { runOrder } from './run-order.ts';
import { isTranscoderInstalled } from './transcoder.ts';

const lacking = noFfmpeg ?? (isTranscoderInstalled() ? undefined : 'it needs node-av');
const memoryBytesMax = 2 ** 30;

async function order(kind: 'mp4' | 'cover', folder: string): Promise<Answer> {
  return await runOrder({ kind, folder, memoryBytesMax }, { signal: AbortSignal.timeout(120_000) });
}

/** Mean luma of the picture at a place of a sheet. */
function lumaOf(sheet: string, [x, y, width, height]: number[]): number {
  const graph = `movie=${sheet},crop=${width}:${height}:${x}:${y},signalstats`;
  const tags = ['-show_entries', 'frame_tags=lavfi.signalstats.YAVG', '-of', 'csv=p=0'];
  return Number(outside('ffprobe', ['-v', 'error', '-f', 'lavfi', '-i', graph, ...tags]));
}

function cuesOf(folder: string): number[][] {
  const text = readFileSync(join(folder, 'storyboard.vtt'), 'utf8');
  return [...text.matchAll(/#xywh=([\d,]+)/g)].map(([, place = '']) =>
    place.split(',').map(Number),
  );
}

testWith(lacking, 'each picture is of its own stretch', async () => {
  const fill = (when: string, colour: string) => `drawbox=t=fill:c=${colour}:enable='${when}'`;
  const colours = [fill('lt(t,12)', 'black'), fill('gte(t,12)', 'white')].join(',');
  const more = ['-vf', colours, '-r', '5', '-g', '5'];
  const folder = await recordedClips({ size: '640x360', seconds: 24, hasSound: false, more });
  expect(await order('mp4', folder)).toMatchObject({ ok: true });
  const made = await order('cover', folder);
  const sheet = join(folder, 'storyboard0.jpg');
  const cues = cuesOf(folder);
  expect(cues).toHaveLength(12);
  const isLight = cues.map((place) => lumaOf(sheet, place) > 128);
  expect(isLight).toEqual(cues.map((_, at) => at >= 6));
  const files = ['cover.jpg', 'storyboard.vtt', 'storyboard0.jpg'];
  const size = files.reduce((sum, file) => sum + statSync(join(folder, file)).size, 0);
  expect(made).toEqual({ ok: true, size });
  expect(existsSync(join(folder, 'storyboard1.jpg'))).toBe(false);
});

testWith(
  lacking,
  'a show that stands upright has pictures that do, whatever comes later',
  async () => {
    const folder = await recordedClips(
      { size: '360x640', seconds: 3, hasSound: false },
      { size: '640x360', seconds: 3, hasSound: false },
    );
    expect(await order('mp4', folder)).toMatchObject({ ok: true });
    expect(await order('cover', folder)).toMatchObject({ ok: true });
    expect(cuesOf(folder)).toEqual([
      [0, 0, 108, 192],
      [108, 0, 108, 192],
      [216, 0, 108, 192],
    ]);
  },
);
