// Files as cameras and programs write them become recordings like a push's: judged by ffprobe and ffmpeg.
import { describe, expect, test } from 'bun:test';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { clip } from '../../../test/fixtures/media/clip.ts';
import { boxAt, clipMp4 } from '../../../test/support/bent-mp4.ts';
import { temporaryFolder } from '../../../test/support/engines.ts';
import { testWith } from '../../../test/support/needs.ts';
import { noFfmpeg } from '../../../test/support/recorded-clip.ts';
import { vodPlaylist } from '../playback/vod-playlist.ts';
import { readNote } from '../recording/recording-folder.ts';
import { readIndex } from '../recording/recording-index.ts';
import { runOrder } from '../recording/worker/run-order.ts';
import { importFile } from './import-file.ts';

const memoryBytesMax = 768 * 1_048_576;
const startsAt = Date.UTC(2026, 4, 4, 12);
const note = { channel_id: 3, account_id: 2, name: 'Holiday' };

/** The folder that the file has become. */
async function recordingOf(source: string): Promise<string> {
  const making = join(temporaryFolder(), 'making');
  const { signal } = new AbortController();
  const order = { source, making, note, startsAt, memoryBytesMax };
  expect(await importFile(order, { signal })).toEqual({ ok: true });
  return making;
}

function segmentsOf(folder: string) {
  return readIndex(readFileSync(join(folder, 'source.index'), 'utf8'));
}

function lengthMs(folder: string): number {
  return segmentsOf(folder).reduce((sum, { durationMs }) => sum + durationMs, 0);
}

test('a file becomes the folder of a recording: note, fragments and index', async () => {
  const source = join(temporaryFolder(), 'upload');
  await Bun.write(source, await clipMp4());
  const folder = await recordingOf(source);
  expect(await readNote(folder)).toEqual(note);
  const segments = segmentsOf(folder);
  expect(segments.map(({ isIndependent }) => isIndependent)).toEqual([true, true]);
  expect(segments[0]).toMatchObject({ startsAt, init: { width: 320, height: 180 } });
  const last = segments.at(-1);
  expect((last?.at ?? 0) + (last?.size ?? 0)).toBe(statSync(join(folder, 'source.mp4')).size);
  expect(Math.abs(lengthMs(folder) - 4_000)).toBeLessThan(100);
  const bytes = readFileSync(join(folder, 'source.mp4'));
  for (const { bytes: packet } of clip.packets) expect(bytes.includes(packet)).toBe(true);
});

test('a disk that does not take it is told as such, and it may be tried again', async () => {
  const source = join(temporaryFolder(), 'upload');
  await Bun.write(source, await clipMp4());
  const { signal } = new AbortController();
  // Nobody makes a folder there.
  const making = '/proc/nowhere/making';
  expect(
    await importFile({ source, making, note, startsAt, memoryBytesMax }, { signal }),
  ).toMatchObject({ ok: false, problem: { code: 'disk' }, isFinal: false });
});

const pictures = (size = '160x90', rate = '30') => [
  ...['-f', 'lavfi', '-i', `testsrc2=size=${size}:rate=${rate}`],
];
const tone = ['-f', 'lavfi', '-i', 'sine=sample_rate=48000'];
const h264 = '-c:v libx264 -preset ultrafast -pix_fmt yuv420p -g 60'.split(' ');
const copy = ['-c', 'copy'];

async function made(name: string, ...words: string[]): Promise<string> {
  const file = join(temporaryFolder(), name);
  const ffmpeg = Bun.spawn(['ffmpeg', '-v', 'error', '-nostdin', ...words, file], {
    stderr: 'pipe',
  });
  expect([await new Response(ffmpeg.stderr).text(), await ffmpeg.exited]).toEqual(['', 0]);
  return file;
}

function show(name = 'show.mp4', ...more: string[]): Promise<string> {
  return made(name, ...pictures(), ...tone, '-t', '6', ...h264, '-bf', '3', '-c:a', 'aac', ...more);
}

let packed: Promise<string> | undefined;

/** The same packets in another container: coded once for all. */
async function repacked(name: string, ...more: string[]): Promise<string> {
  packed ??= show();
  return await made(name, '-i', await packed, ...copy, ...more);
}

interface Probed {
  hash: string;
  ptsMs: number;
  isKey: boolean;
}

interface ProbedFile {
  packets: {
    codec_type: 'video' | 'audio';
    stream_index: number;
    data_hash: string;
    pts_time: string;
    flags: string;
  }[];
}

/** All streams of a file are read at once, and once: to start ffprobe takes longer than to read. */
const probed = new Map<string, Promise<ProbedFile>>();

async function probe(file: string): Promise<ProbedFile> {
  const entries = 'packet=codec_type,stream_index,pts_time,flags,data_hash';
  const hashes = ['-show_packets', '-show_data_hash', 'md5', '-show_entries', entries];
  return JSON.parse(await output('ffprobe', '-v', 'error', ...hashes, '-of', 'json', file));
}

async function packetsOf(file: string, stream: 'v:0' | 'a:0'): Promise<Probed[]> {
  const known = probed.get(file) ?? probe(file);
  probed.set(file, known);
  const kind = stream === 'v:0' ? 'video' : 'audio';
  const ofKind = (await known).packets.filter(({ codec_type }) => codec_type === kind);
  const first = Math.min(...ofKind.map(({ stream_index }) => stream_index));
  return ofKind
    .filter(({ stream_index }) => stream_index === first)
    .map(({ data_hash, pts_time, flags }) => ({
      hash: data_hash,
      ptsMs: 1_000 * Number(pts_time),
      isKey: flags.startsWith('K'),
    }));
}

async function output(...words: string[]): Promise<string> {
  const child = Bun.spawn(words, { stdout: 'pipe', stderr: 'pipe' });
  const [out, err] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  expect([err, await child.exited]).toEqual(['', 0]);
  return out;
}

/** Every packet is there with its bytes, at its time; the whole may have moved, pictures and sound alike. */
async function expectSame(file: string, folder: string, streams: ('v:0' | 'a:0')[]): Promise<void> {
  const shifts: number[] = [];
  for (const stream of streams) {
    const before = await packetsOf(file, stream);
    const after = await packetsOf(join(folder, 'source.mp4'), stream);
    expect(before.length).toBeGreaterThan(0);
    expect(after.map(({ hash }) => hash)).toEqual(before.map(({ hash }) => hash));
    expect(after.map(({ isKey }) => isKey)).toEqual(before.map(({ isKey }) => isKey));
    shifts.push(...after.map(({ ptsMs }, at) => ptsMs - (before[at]?.ptsMs ?? 0)));
  }
  expect(Math.max(...shifts) - Math.min(...shifts)).toBeLessThan(2);
}

/** ffmpeg decodes all of it and has nothing to say. */
async function expectPlays(file: string): Promise<void> {
  await output('ffmpeg', '-v', 'error', '-nostdin', '-i', file, '-f', 'null', '-');
}

describe('packets are the file’s own,', () => {
  const files: [string, () => Promise<string>][] = [
    ['with B-frames', () => repacked('show.mp4')],
    ['with what describes them in front', () => repacked('show.mp4', '-movflags', '+faststart')],
    ['in fragments', () => repacked('show.mp4', '-movflags', 'frag_keyframe+empty_moov')],
    ['from QuickTime', () => repacked('show.mov')],
    ['from Matroska', () => repacked('show.mkv')],
    ['without B-frames', () => show('show.mp4', '-bf', '0')],
    ['at a rate that is no whole number', () => show('show.mp4', '-r', '30000/1001')],
  ];
  for (const [name, file] of files)
    testWith(noFfmpeg, name, async () => {
      const source = await file();
      const folder = await recordingOf(source);
      await expectSame(source, folder, ['v:0', 'a:0']);
      await expectPlays(join(folder, 'source.mp4'));
      expect(Math.abs(lengthMs(folder) - 6_000)).toBeLessThan(150);
    });

  testWith(noFfmpeg, 'where the sound begins half a second before the picture', async () => {
    const whole = await repacked('show.mp4');
    const source = await made(
      'late.mp4',
      ...['-itsoffset', '0.5', '-i', whole, '-i', whole],
      ...['-map', '0:v', '-map', '1:a', ...copy],
    );
    await expectSame(source, await recordingOf(source), ['v:0', 'a:0']);
  });

  testWith(noFfmpeg, 'where a picture stands for seconds, with sound and without', async () => {
    const still = "select='lt(n,10)+gte(n,150)'";
    const source = await show('still.mp4', '-vf', still, '-fps_mode', 'vfr', '-bf', '0');
    const silent = await made('silent.mp4', '-i', source, '-an', ...copy);
    const folder = await recordingOf(source);
    await expectSame(source, folder, ['v:0', 'a:0']);
    // One init: the picture was never taken to be gone.
    expect(new Set(segmentsOf(folder).map(({ init }) => init.at)).size).toBe(1);
    const soundless = await recordingOf(silent);
    await expectSame(silent, soundless, ['v:0']);
    expect(Math.abs(lengthMs(soundless) - 6_000)).toBeLessThan(100);
  });
});

describe('a file', () => {
  testWith(noFfmpeg, 'from a broadcast (MPEG-TS) plays', async () => {
    const folder = await recordingOf(await repacked('show.ts'));
    const file = join(folder, 'source.mp4');
    await expectPlays(file);
    expect(await packetsOf(file, 'v:0')).toHaveLength(180);
    expect(Math.abs(lengthMs(folder) - 6_000)).toBeLessThan(150);
  });

  testWith(noFfmpeg, 'of pictures or of sound alone is taken', async () => {
    const source = await repacked('show.mp4');
    const soundless = await made('soundless.mp4', '-i', source, '-an', ...copy);
    await expectSame(soundless, await recordingOf(soundless), ['v:0']);
    const sound = await made('sound.m4a', '-i', source, '-vn', ...copy);
    const folder = await recordingOf(sound);
    await expectSame(sound, folder, ['a:0']);
    expect(segmentsOf(folder)[0]?.init).toMatchObject({ width: 0, height: 0 });
  });

  testWith(noFfmpeg, 'with several tracks of sound is taken with the first', async () => {
    const source = await repacked('two.mp4', '-map', '0:v', '-map', '0:a', '-map', '0:a');
    await expectSame(source, await recordingOf(source), ['v:0', 'a:0']);
  });

  testWith(noFfmpeg, 'whose key frames are far apart is taken', async () => {
    const source = await show('far.mp4', '-g', '1000', '-sc_threshold', '0');
    const folder = await recordingOf(source);
    await expectSame(source, folder, ['v:0', 'a:0']);
    expect(segmentsOf(folder).filter(({ isIndependent }) => isIndependent)).toHaveLength(1);
  });

  testWith(noFfmpeg, 'whose picture changes its size keeps both', async () => {
    const [small, large] = await Promise.all(
      ['160x90', '320x180'].map((size) =>
        made(`${size}.ts`, ...pictures(size), ...tone, '-t', '2', ...h264, '-c:a', 'aac'),
      ),
    );
    const source = await made('both.ts', '-i', `concat:${small}|${large}`, ...copy);
    const folder = await recordingOf(source);
    const sizes = segmentsOf(folder).map(({ init }) => init.width);
    expect([sizes[0], sizes.at(-1)]).toEqual([160, 320]);
  });

  testWith(noFfmpeg, 'is listed in a playlist that ffmpeg plays to its end', async () => {
    const source = await repacked('show.mp4');
    const folder = await recordingOf(source);
    const playlist = join(folder, 'source.m3u8');
    await Bun.write(playlist, await vodPlaylist(segmentsOf(folder), 'source.mp4'));
    const words = ['-v', 'error', '-count_packets', '-show_entries', 'stream=nb_read_packets'];
    const counted = await output('ffprobe', ...words, '-of', 'csv=p=0', playlist);
    const numbers = counted
      .trim()
      .split(/\s+/)
      .map((line) => Number.parseInt(line, 10));
    expect(numbers).toContain((await packetsOf(source, 'v:0')).length);
    expect(numbers).toContain((await packetsOf(source, 'a:0')).length);
  });
});

describe('a Matroska file', () => {
  testWith(noFfmpeg, 'that was cut says so', async () => {
    const whole = readFileSync(await repacked('show.mkv'));
    const source = join(temporaryFolder(), 'cut.mkv');
    await Bun.write(source, whole.subarray(0, whole.length >> 1));
    const { signal } = new AbortController();
    const making = join(temporaryFolder(), 'making');
    expect(
      await importFile({ source, making, note, startsAt, memoryBytesMax }, { signal }),
    ).toMatchObject({ ok: false, problem: { code: 'cut' } });
    expect(existsSync(making)).toBe(false);
  });

  testWith(
    noFfmpeg,
    'that was written live, and does not say how long it is, is taken',
    async () => {
      const source = await repacked('live.mkv', '-live', '1');
      await expectSame(source, await recordingOf(source), ['v:0', 'a:0']);
    },
  );
});

for (const rotation of [90, 180, 270] as const) {
  testWith(noFfmpeg, `a phone's video that is turned by ${rotation} stays so`, async () => {
    const flat = await made('flat.mp4', ...pictures('640x360'), '-t', '1', ...h264);
    // Written into the matrix: what tells ffmpeg to do so differs by its version.
    const source = await turnedBy(rotation, flat);
    const folder = await recordingOf(source);
    const isUpright = rotation !== 180;
    const shown = isUpright ? { width: 360, height: 640 } : { width: 640, height: 360 };
    expect(segmentsOf(folder)[0]?.init).toMatchObject(shown);
    const { signal } = new AbortController();
    for (const kind of ['mp4', 'cover', '480'] as const)
      expect(await runOrder({ kind, folder, memoryBytesMax }, { signal })).toMatchObject({
        ok: true,
      });
    const turn = await turnOf(source);
    expect(await turnOf(join(folder, 'source.mp4'))).toBe(turn);
    expect(await turnOf(join(folder, 'video.mp4'))).toBe(turn);
    // What is decoded for them is upright already.
    for (const file of ['cover.jpg', '480.mp4'].filter((one) => existsSync(join(folder, one)))) {
      const { width, height } = await sizeOf(join(folder, file));
      expect(width < height).toBe(isUpright);
      expect(await turnOf(join(folder, file))).toBe(0);
    }
  });
}

/** With what a phone writes into the track's header (ISO 14496-12 8.3.2). */
async function turnedBy(rotation: 90 | 180 | 270, file: string): Promise<string> {
  const bytes = readFileSync(file);
  const turns = { 90: [0, 1, -1, 0], 180: [-1, 0, 0, -1], 270: [0, -1, 1, 0] }[rotation];
  const matrixAt = boxAt(bytes, 'moov trak tkhd').bodyAt + 40;
  for (const [at, place] of [0, 4, 12, 16].entries())
    bytes.writeInt32BE(0x10000 * (turns[at] ?? 0), matrixAt + place);
  const turned = join(temporaryFolder(), 'turned.mp4');
  await Bun.write(turned, bytes);
  return turned;
}

async function turnOf(file: string): Promise<number> {
  const entries = ['-show_entries', 'stream_side_data=rotation', '-of', 'csv=p=0'];
  const said = await output('ffprobe', '-v', 'error', '-select_streams', 'v:0', ...entries, file);
  return Math.abs(Number.parseInt(said || '0', 10) || 0);
}

async function sizeOf(file: string): Promise<{ width: number; height: number }> {
  const entries = ['-show_entries', 'stream=width,height', '-of', 'csv=p=0'];
  const said = await output('ffprobe', '-v', 'error', '-select_streams', 'v:0', ...entries, file);
  const [width = 0, height = 0] = said.split(',').map(Number);
  return { width, height };
}
