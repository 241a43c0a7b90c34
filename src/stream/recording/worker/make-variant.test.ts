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
} from '../../../../test/support/recorded-clip.ts';
import { recordPush } from '../../../../test/support/recorded-push.ts';
import { type ByteRange, type RecordedSegment, readIndex } from '../recording-index.ts';
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

    const [segments, ofSource] = [indexIn(folder, '480'), indexIn(folder, 'source')];
    const placed = (all: typeof segments) =>
      all.map(({ durationMs, startsAt, isIndependent }) => ({
        durationMs,
        startsAt,
        isIndependent,
      }));
    expect(placed(segments)).toEqual(placed(ofSource));
    expect(segments.at(-1)?.at).toBeGreaterThan(0);
    expect((segments.at(-1)?.at ?? 0) + (segments.at(-1)?.size ?? 0)).toBe(Bun.file(file).size);
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

testWith(
  lacking,
  'its pictures and its sound have the times of its source, segment by segment',
  async () => {
    // One that is shown later than it is decoded; then one that begins at 0 again.
    const late = ['-bf', '2'];
    const folder = await recordedClips(
      { size: '960x540', seconds: 3, more: late },
      { size: '960x540', seconds: 2 },
    );
    expect(await order('480', folder)).toMatchObject({ ok: true });
    const timesOf = (file: string) => {
      const shown = framesOf(file, 'video').map(({ pts_time }) =>
        Math.round(1_000 * Number(pts_time)),
      );
      const heard = packetsOf(file, 'audio').map(({ pts_time }) => pts_time);
      const [first] = packetsOf(file, 'video');
      return { shown, heard, decoded: Math.round(1_000 * Number(first?.dts_time)) };
    };
    // The last segment of the first has sound alone.
    const firstThree = (name: string) => segmentFiles(folder, name).slice(0, 3).map(timesOf);
    const [made, source] = [firstThree('480'), firstThree('source')];
    expect(made).toEqual(source);
    expect(source[0]?.shown[0]).toBeGreaterThan(source[0]?.decoded ?? 0);
    const whole = (name: string) => sectionFiles(folder, name).map(timesOf);
    expect(whole('480')).toEqual(whole('source'));
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
  const folder = await recordedClips({ size: '540x960', seconds: 3, hasSound: false });
  expect(await order('480', folder)).toMatchObject({ ok: true });
  expect(indexIn(folder, '480')[0]?.init).toMatchObject({ width: 480, height: 854 });
  const counts = segmentFiles(folder, '480').map((file) => framesOf(file, 'video').length);
  expect(counts).toEqual([25, 25, 25]);
});

testWith(lacking, 'a size that changes on the way is fitted into the largest', async () => {
  const folder = await recordedClips(
    { size: '320x180', seconds: 1 },
    { size: '640x540', seconds: 1 },
  );
  expect(await order('480', folder)).toMatchObject({ ok: true });
  const frames = sectionFiles(folder, '480').flatMap((file) => framesOf(file, 'video'));
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
  ['does not change', asBefore],
  ['changes from stereo to mono', ['-ac', '1']],
  ['changes to another rate', ['-ar', '22050']],
  ['changes to mono at another rate', ['-ac', '1', '-ar', '32000']],
] as const)
  testWith(lacking, `sound that ${change} is as its source has it, bit by bit`, async () => {
    const folder = await recordedClips(
      { size: '640x540', seconds: 2, more: asBefore },
      { size: '640x540', seconds: 2, more: now },
    );
    expect(await order('480', folder)).toMatchObject({ ok: true });
    const [made, source] = ['480', 'source'].map((name) => sectionFiles(folder, name));
    expect(made?.map(heardIn)).toEqual(source?.map(heardIn) as unknown[]);
    expect(made?.map((file) => framesOf(file, 'video').length)).toEqual([50, 50]);
  });

testWith(lacking, 'a push that comes back in mono has a variant like any other', async () => {
  const folder = temporaryFolder();
  await recordPush(folder, flvClip(folder, 'stereo'), later(flvClip(folder, 'mono'), 2_100));
  expect(await order('480', folder)).toMatchObject({ ok: true });
  const [made, source] = ['480', 'source'].map((name) => sectionFiles(folder, name));
  expect(made).toHaveLength(2);
  expect(made?.map(heardIn)).toEqual(source?.map(heardIn) as unknown[]);
  const shownIn = (file: string) =>
    framesOf(file, 'video').map(({ pts_time }) => Math.round(1_000 * Number(pts_time)));
  expect(made?.map(shownIn)).toEqual(source?.map(shownIn) as number[][]);
});

/** Each decoder's own: its description by ffprobe, and its packets. */
function heardIn(file: string): unknown {
  const entries = ['-show_entries', 'stream=sample_rate,channels', '-select_streams', 'a'];
  const told = outside('ffprobe', ['-v', 'error', ...entries, '-of', 'json', file]);
  const packets = packetsOf(file, 'audio').map(({ data_hash, pts_time }) => [data_hash, pts_time]);
  return { streams: JSON.parse(told).streams, packets };
}

function indexIn(folder: string, name: string): RecordedSegment[] {
  return readIndex(readFileSync(join(folder, `${name}.index`), 'utf8'));
}

/** Each segment behind its init, as a file. */
function segmentFiles(folder: string, name: string): string[] {
  return pieceFiles(
    folder,
    name,
    indexIn(folder, name).map((one) => [one]),
  );
}

/** All segments behind one init, as a file. */
function sectionFiles(folder: string, name: string): string[] {
  return pieceFiles(folder, name, [
    ...Map.groupBy(indexIn(folder, name), ({ init }) => init).values(),
  ]);
}

function pieceFiles(folder: string, name: string, pieces: readonly RecordedSegment[][]): string[] {
  const bytes = readFileSync(join(folder, `${name}.mp4`));
  const rangeOf = ({ at, size }: ByteRange) => bytes.subarray(at, at + size);
  return pieces.map((segments, place) => {
    const file = join(temporaryFolder(), `${name}-${place}.mp4`);
    const ranges = [...segments.slice(0, 1).map(({ init }) => init), ...segments].map(rangeOf);
    writeFileSync(file, Buffer.concat(ranges));
    return file;
  });
}

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
