// Covers and variants as the transcoder makes them in its own process, judged by ffprobe.
import { expect } from 'bun:test';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Clip, readClip } from '../../../../test/fixtures/media/clip.ts';
import { temporaryFolder } from '../../../../test/support/engines.ts';
import { later } from '../../../../test/support/media.ts';
import { testWith } from '../../../../test/support/needs.ts';
import {
  framesOf,
  noFfmpeg,
  outside,
  packetsOf,
  recordedClips,
  startsAt,
} from '../../../../test/support/recorded-clip.ts';
import { recordPush } from '../../../../test/support/recorded-push.ts';
import { readIndex } from '../recording-index.ts';
import { makeMp4 } from './make-mp4.ts';
import type { Answer } from './order.ts';
import { runOrder } from './run-order.ts';
import { loadTranscoder } from './transcoder.ts';

const lacking =
  noFfmpeg ??
  (await loadTranscoder().then(
    () => undefined,
    () => 'it needs node-av for this machine',
  ));

testWith(
  lacking,
  'a variant has every picture at its size, a key frame where a segment of its source begins',
  async () => {
    const folder = await recordedClips({ size: '960x540', seconds: 5, more: ['-bf', '2'] });
    expect(await order('480', folder)).toMatchObject({ ok: true });
    const file = join(folder, '480.mp4');
    const frames = framesOf(file, 'video');
    expect(frames).toHaveLength(125);
    expect(new Set(frames.map(({ width, height }) => `${width}x${height}`))).toEqual(
      new Set(['854x480']),
    );
    const keys = frames.filter(({ key_frame }) => key_frame === 1);
    expect(keys.map(({ pts_time }) => Math.round(Number(pts_time)))).toEqual([0, 1, 2, 3, 4]);
    const sound = packetsOf(join(folder, 'source.mp4'), 'audio').map(({ data_hash }) => data_hash);
    expect(packetsOf(file, 'audio').map(({ data_hash }) => data_hash)).toEqual(sound);

    const segments = readIndex(readFileSync(join(folder, '480.index'), 'utf8'));
    const ofSource = readIndex(readFileSync(join(folder, 'source.index'), 'utf8'));
    const lengths = (all: typeof segments) => all.map(({ durationMs }) => durationMs);
    // The first picture is shown from 0 on; and behind the last the source has what is left of the sound.
    expect(lengths(segments).slice(1, -1)).toEqual(lengths(ofSource).slice(1, 4));
    expect(segments.at(-1)?.at).toBeGreaterThan(0);
    expect((segments.at(-1)?.at ?? 0) + (segments.at(-1)?.size ?? 0)).toBe(Bun.file(file).size);
    expect(segments.every(({ isIndependent }) => isIndependent)).toBe(true);
    expect(segments[1]?.startsAt).toBe(startsAt + (segments[0]?.durationMs ?? 0));
    expect(segments[0]?.init).toMatchObject({ at: 0, width: 854, height: 480 });
    expect(readdirSync(folder).sort()).toEqual([
      '480.index',
      '480.mp4',
      'source.index',
      'source.mp4',
      'video.mp4',
    ]);
  },
);

testWith(lacking, 'what was made while the push was on is taken where it is whole', async () => {
  const folder = await recordedClips({ size: '960x540', seconds: 3 });
  const index = readFileSync(join(folder, 'source.index'), 'utf8');
  const media = readFileSync(join(folder, 'source.mp4'));
  writeFileSync(join(folder, '480.ladder.mp4'), media);
  writeFileSync(join(folder, '480.ladder.index'), index);
  expect(await order('480', folder)).toMatchObject({ ok: true, size: media.length });
  expect(readFileSync(join(folder, '480.mp4'))).toEqual(media);
  expect(readFileSync(join(folder, '480.index'), 'utf8')).toBe(index);
});

for (const { what, cut } of [
  { what: 'lacks a segment', cut: (lines: string[]) => lines.slice(0, -1) },
  { what: 'begins late', cut: ([init = '', , ...lines]: string[]) => [init, ...lines] },
  { what: 'is damaged', cut: (lines: string[]) => [...lines, '{"kind":"segment"}\n'] },
  { what: 'is none', cut: () => [] },
])
  testWith(lacking, `one that ${what} is removed, and the variant is made`, async () => {
    const folder = await recordedClips({ size: '960x540', seconds: 3 });
    const lines = readFileSync(join(folder, 'source.index'), 'utf8').split(/(?<=\n)/);
    writeFileSync(join(folder, '480.ladder.mp4'), readFileSync(join(folder, 'source.mp4')));
    writeFileSync(join(folder, '480.ladder.index'), cut(lines).join(''));
    expect(await order('480', folder)).toMatchObject({ ok: true });
    expect(framesOf(join(folder, '480.mp4'), 'video')[0]).toMatchObject({
      width: 854,
      height: 480,
    });
    expect(readdirSync(folder).filter((file) => file.includes('ladder'))).toEqual([]);
  });

testWith(lacking, 'each segment of a variant plays alone behind its init', async () => {
  const folder = await recordedClips({ size: '540x960', seconds: 3 });
  expect(await order('480', folder)).toMatchObject({ ok: true });
  const bytes = readFileSync(join(folder, '480.mp4'));
  const segments = readIndex(readFileSync(join(folder, '480.index'), 'utf8'));
  expect(segments[0]?.init).toMatchObject({ width: 480, height: 854 });
  const counts = segments.map(({ init, at, size }, place) => {
    const alone = join(folder, `alone-${place}.mp4`);
    const piece = [bytes.subarray(init.at, init.at + init.size), bytes.subarray(at, at + size)];
    writeFileSync(alone, Buffer.concat(piece));
    return framesOf(alone, 'video').length;
  });
  expect(counts).toEqual([25, 25, 25]);
});

testWith(lacking, 'a size that changes on the way is fitted into the largest', async () => {
  const folder = await recordedClips(
    { size: '320x180', seconds: 1 },
    { size: '640x540', seconds: 1 },
  );
  expect(await order('480', folder)).toMatchObject({ ok: true });
  const frames = framesOf(join(folder, '480.mp4'), 'video');
  expect(frames).toHaveLength(50);
  expect(new Set(frames.map(({ width, height }) => `${width}x${height}`))).toEqual(
    new Set(['568x480']),
  );
});

// Where the long side comes to a whole number and where it is rounded, up and down.
const shapes = ['1280x720', '1920x1080', '720x1280', '1366x768', '602x500', '500x900', '960x720'];

for (const size of shapes as `${number}x${number}`[])
  testWith(lacking, `a variant of ${size} has no bars: its picture fills it`, async () => {
    const white = ['-vf', 'drawbox=t=fill:c=white'];
    const folder = await recordedClips({ size, seconds: 0.2, hasSound: false, more: white });
    expect(await order('480', folder)).toMatchObject({ ok: true });
    expect(darkestAtEdges(join(folder, '480.mp4'))).toBeGreaterThan(200);
  });

/** Luma of the darkest of the two outermost rows and columns on each side; black is 16, white 235. */
function darkestAtEdges(file: string): number {
  const edges = ['2:ih:0:0', '2:ih:iw-2:0', 'iw:2:0:0', 'iw:2:0:ih-2'];
  const darkest = edges.flatMap((edge) => {
    const graph = `movie=${file},crop=${edge},signalstats`;
    const tags = ['-show_entries', 'frame_tags=lavfi.signalstats.YMIN', '-of', 'csv=p=0'];
    return outside('ffprobe', ['-v', 'error', '-f', 'lavfi', '-i', graph, ...tags])
      .trim()
      .split('\n')
      .map(Number);
  });
  return Math.min(...darkest);
}

testWith(lacking, 'pictures that cannot be decoded are left out', async () => {
  const folder = await recordedClips({ size: '640x540', seconds: 3, hasSound: false });
  const source = join(folder, 'source.mp4');
  const bytes = readFileSync(source);
  const second = bytes.indexOf('mdat', bytes.indexOf('mdat') + 4);
  // Its first picture, the key frame, keeps its length and its kind alone.
  bytes.fill(0xff, second + 9, second + 1_000);
  writeFileSync(source, bytes);
  expect(await order('480', folder)).toMatchObject({ ok: true });
  expect(framesOf(join(folder, '480.mp4'), 'video').length).toBeGreaterThan(40);
  expect(await order('cover', folder)).toMatchObject({ ok: true });
});

testWith(lacking, 'where none can be decoded the job says so, and is not tried again', async () => {
  const folder = await recordedClips({ size: '640x540', seconds: 1, hasSound: false });
  const source = join(folder, 'source.mp4');
  const bytes = readFileSync(source);
  bytes.fill(0xff, bytes.indexOf('mdat') + 4);
  writeFileSync(source, bytes);
  for (const kind of ['480', 'cover'] as const)
    expect(await order(kind, folder)).toEqual({
      ok: false,
      problem: 'No picture of the recording can be decoded',
      final: 'media',
    });
});

testWith(lacking, 'a cover is a picture from a tenth in, no wider than it may be', async () => {
  // Black at first: a cover of the first picture would be one colour.
  const black = ['-vf', "drawbox=t=fill:c=black:enable='lt(t,0.15)'"];
  const folder = await recordedClips({
    size: '1600x900',
    seconds: 2,
    hasSound: false,
    more: black,
  });
  expect(await order('cover', folder)).toMatchObject({ ok: true });
  const cover = join(folder, 'cover.jpg');
  const [frame] = framesOf(cover, 'video');
  expect(frame).toMatchObject({ width: 1280, height: 720 });
  const signal = ['-v', 'error', '-f', 'lavfi', '-i', `movie=${cover},signalstats`];
  const tags = ['-show_entries', 'frame_tags=lavfi.signalstats.YAVG', '-of', 'csv=p=0'];
  expect(Number(outside('ffprobe', [...signal, ...tags]))).toBeGreaterThan(50);
});

const asBefore = ['-ac', '2'];

for (const [change, now] of [
  ['from stereo to mono', ['-ac', '1']],
  ['to another rate', ['-ar', '22050']],
  ['to mono at another rate', ['-ac', '1', '-ar', '32000']],
] as const)
  testWith(lacking, `sound that changes ${change} is one in a variant, in its place`, async () => {
    // What is heard is heard from the change on.
    const folder = await recordedClips(
      { size: '640x540', seconds: 2, more: [...asBefore, '-af', 'volume=0'] },
      { size: '640x540', seconds: 2, more: now },
    );
    expect(await order('480', folder)).toMatchObject({ ok: true });
    const file = join(folder, '480.mp4');
    const pictures = framesOf(file, 'video');
    expect(pictures).toHaveLength(100);
    const heard = soundOf(file);
    expect(new Set(heard.map(({ channels }) => channels))).toEqual(new Set([2]));
    expect(heard.at(-1)?.at).toBeGreaterThan(3.9);
    const longestGap = Math.max(
      ...heard.slice(1).map(({ at }, last) => at - (heard[last]?.at ?? 0)),
    );
    expect(longestGap).toBeLessThan(0.08);
    const changesAt = Number(pictures[50]?.pts_time);
    const from = heard.find(({ loud }) => loud)?.at ?? 0;
    // What clips begin with is the silence that an encoder puts in front: a frame, of 46 ms at the lowest rate.
    expect(Math.abs(from - changesAt)).toBeLessThan(0.08);
    // The last frames are filled up with silence.
    const tone = heard.filter(({ at }) => at > from && at < changesAt + 1.9);
    expect(tone.every(({ loud }) => loud)).toBe(true);
  });

testWith(lacking, 'a push that comes back in mono has a variant like any other', async () => {
  const folder = temporaryFolder();
  await recordPush(folder, flvClip(folder, 'stereo'), later(flvClip(folder, 'mono'), 2_100));
  const inits = readIndex(readFileSync(join(folder, 'source.index'), 'utf8')).map(
    ({ init }) => init,
  );
  expect(new Set(inits).size).toBe(2);
  expect(await order('480', folder)).toMatchObject({ ok: true });
  const [source, variant] = ['video.mp4', '480.mp4'].map((file) => join(folder, file));
  expect(framesOf(String(variant), 'video')).toHaveLength(framesOf(String(source), 'video').length);
  const heard = soundOf(String(variant));
  expect(new Set(heard.map(({ channels }) => channels))).toEqual(new Set([2]));
  expect(heard.filter(({ at, loud }) => loud && at > 2).length).toBeGreaterThan(60);
});

/** What an encoder would push: two seconds, with a tone. */
function flvClip(folder: string, sound: 'stereo' | 'mono'): Clip {
  const file = join(folder, `${sound}.flv`);
  const inputs = ['-f', 'lavfi', '-i', 'testsrc2=s=640x540:r=25:d=2'];
  inputs.push('-f', 'lavfi', '-i', 'sine=f=440:r=48000:d=2');
  const h264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-g', '25'];
  const aac = ['-c:a', 'aac', '-ac', sound === 'stereo' ? '2' : '1'];
  outside('ffmpeg', ['-v', 'error', ...inputs, ...h264, ...aac, file]);
  return readClip(readFileSync(file));
}

testWith(lacking, 'sound that does not change is copied into a variant, bit by bit', async () => {
  const folder = await recordedClips(
    { size: '640x540', seconds: 1, more: asBefore },
    { size: '640x540', seconds: 1, more: asBefore },
  );
  expect(await order('480', folder)).toMatchObject({ ok: true });
  const [source, variant] = ['video.mp4', '480.mp4'].map((file) =>
    packetsOf(join(folder, file), 'audio').map(({ data_hash }) => data_hash),
  );
  expect(variant).toEqual(source as string[]);
});

/** Each decoded piece of a file's sound: when it is heard, in how many channels, whether it is more than nothing. */
function soundOf(file: string): { at: number; channels: number; loud: boolean }[] {
  const level = 'lavfi.astats.Overall.RMS_level';
  const graph = `amovie=${file},astats=metadata=1:reset=1`;
  const entries = ['-show_entries', `frame=pts_time,channels:frame_tags=${level}`, '-of', 'json'];
  const told = outside('ffprobe', ['-v', 'error', '-f', 'lavfi', '-i', graph, ...entries]);
  const { frames } = JSON.parse(told) as {
    frames: { pts_time: string; channels: number; tags: Record<string, string> }[];
  };
  const audibleDb = -40;
  return frames.map(({ pts_time, channels, tags }) => ({
    at: Number(pts_time),
    channels,
    loud: Number(tags[level]) > audibleDb,
  }));
}

testWith(lacking, 'sound alone has no cover, and says so', async () => {
  const folder = await recordedClips({ size: 'none', seconds: 1 });
  expect(await order('cover', folder)).toEqual({
    ok: false,
    problem: 'The recording has no picture',
    final: 'media',
  });
});

async function order(kind: 'cover' | '480', folder: string): Promise<Answer> {
  const { signal } = new AbortController();
  await makeMp4(folder);
  return await runOrder({ kind, folder, memoryBytesMax: 768 * 1_048_576 }, { signal });
}
