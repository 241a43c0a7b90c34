// What is not H.264 and AAC is made so by the transcoder, which gets packets and bounded pictures.
import { describe, expect, test } from 'bun:test';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { boxAt } from '../../../test/support/bent-mp4.ts';
import { temporaryFolder } from '../../../test/support/engines.ts';
import { testWith } from '../../../test/support/needs.ts';
import { noFfmpeg } from '../../../test/support/recorded-clip.ts';
import { readIndex } from '../recording/recording-index.ts';
import { isTranscoderInstalled } from '../recording/worker/transcoder.ts';
import { type ImportAnswer, type ImportOptions, type InTurn, importFile } from './import-file.ts';

const encoders = noFfmpeg ? '' : await said('ffmpeg', '-v', 'error', '-encoders');
const needs = (...names: string[]) => {
  const missing = names.find((name) => !encoders.includes(` ${name} `));
  if (!isTranscoderInstalled()) return 'it needs the transcoder';
  return noFfmpeg ?? (missing && `it needs an ffmpeg with ${missing}`);
};

async function said(...words: string[]): Promise<string> {
  const child = Bun.spawn(words, { stdout: 'pipe', stderr: 'pipe' });
  const [out, err] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  expect([err, await child.exited]).toEqual(['', 0]);
  return out;
}

async function made(name: string, ...words: string[]): Promise<string> {
  const file = join(temporaryFolder(), name);
  const pictures = ['-f', 'lavfi', '-i', 'testsrc2=size=320x180:rate=30'];
  const tone = ['-f', 'lavfi', '-i', 'sine=sample_rate=44100'];
  await said('ffmpeg', '-v', 'error', '-nostdin', ...pictures, ...tone, '-t', '1', ...words, file);
  return file;
}

async function imported(
  source: string,
  options: Partial<ImportOptions> = {},
): Promise<{ answer: ImportAnswer; making: string }> {
  const making = join(temporaryFolder(), 'making');
  const note = { channel_id: 1, account_id: 1 };
  const memoryBytesMax = 768 * 1_048_576;
  const { signal } = new AbortController();
  const order = { source, making, note, startsAt: 0, memoryBytesMax };
  const answer = await importFile(order, { signal, ...options });
  expect(existsSync(making)).toBe(answer.ok);
  return { answer, making };
}

const x265 = ['libx265', '-preset', 'ultrafast', '-x265-params', 'log-level=none'];
const vp9 = ['libvpx-vp9', '-deadline', 'realtime', '-cpu-used', '8'];
const x264 = ['libx264', '-preset', 'ultrafast'];

describe('it becomes H.264 and AAC that play:', () => {
  const kinds: [string, string, string[], string[]][] = [
    ['H.265, as phones record', 'phone.mp4', x265, ['aac']],
    ['VP9 and Opus', 'page.webm', vp9, ['libopus']],
    ['VP8 and Vorbis', 'old.webm', ['libvpx', '-deadline', 'realtime'], ['libvorbis']],
    ['H.264 of 10 bits and AC-3', 'ten.mp4', [...x264, '-pix_fmt', 'yuv420p10le'], ['ac3']],
    ['PCM beside H.264', 'pcm.mov', [...x264, '-pix_fmt', 'yuv420p'], ['pcm_s16le']],
    ['MP3 beside H.264', 'mp3.mp4', [...x264, '-pix_fmt', 'yuv420p'], ['libmp3lame']],
    ['ProRes', 'cut.mov', ['prores_ks'], ['pcm_s24le']],
  ];
  for (const [name, file, video, audio] of kinds)
    testWith(needs(video[0] ?? '', audio[0] ?? ''), name, async () => {
      const source = await made(file, '-c:v', ...video, '-c:a', ...audio);
      const turns: string[] = [];
      const inTurn: InTurn = (what, work) => {
        turns.push(what);
        return work();
      };
      const { answer, making } = await imported(source, { inTurn });
      expect(answer).toEqual({ ok: true });
      // Who only copies does not wait behind it.
      expect(turns).toEqual(['copy', 'convert']);
      const recording = join(making, 'source.mp4');
      await said('ffmpeg', '-v', 'error', '-nostdin', '-i', recording, '-f', 'null', '-');
      const entries = 'stream=codec_name,pix_fmt,nb_read_packets';
      const probed = await said(
        ...['ffprobe', '-v', 'error', '-count_packets', '-show_entries', entries],
        ...['-of', 'json', recording],
      );
      const [pictures, sound] = JSON.parse(probed).streams;
      expect(pictures).toMatchObject({
        codec_name: 'h264',
        pix_fmt: 'yuv420p',
        nb_read_packets: '30',
      });
      expect(sound).toMatchObject({ codec_name: 'aac' });
      const segments = readIndex(readFileSync(join(making, 'source.index'), 'utf8'));
      expect(segments.every(({ isIndependent }) => isIndependent)).toBe(true);
      const lengthMs = segments.reduce((sum, { durationMs }) => sum + durationMs, 0);
      expect(Math.abs(lengthMs - 1_000)).toBeLessThan(150);
    });

  testWith(needs('libx265'), 'a picture that is turned stands upright', async () => {
    const flat = await made('flat.mp4', '-c:v', ...x265, '-an');
    const bytes = readFileSync(flat);
    const matrixAt = boxAt(bytes, 'moov trak tkhd').bodyAt + 40;
    for (const [place, value] of [
      [0, 0],
      [4, 1],
      [12, -1],
      [16, 0],
    ] as const)
      bytes.writeInt32BE(0x10000 * value, matrixAt + place);
    writeFileSync(flat, bytes);
    const { making } = await imported(flat);
    const [first] = readIndex(readFileSync(join(making, 'source.index'), 'utf8'));
    expect(first?.init).toMatchObject({ width: 180, height: 320 });
  });

  testWith(needs('libvpx-vp9'), 'a large one at most 1080 lines', async () => {
    const words = ['-s', '3840x2160', '-frames:v', '2', '-c:v', ...vp9, '-an'];
    const source = await made('4k.mp4', ...words);
    const { making } = await imported(source);
    const [first] = readIndex(readFileSync(join(making, 'source.index'), 'utf8'));
    expect(first?.init).toMatchObject({ width: 1_920, height: 1_080 });
  });
});

describe('it is refused with a sentence:', () => {
  testWith(needs('libvpx-vp9'), 'a picture that is too large to decode', async () => {
    const words = ['-s', '4096x4096', '-frames:v', '1', '-c:v', ...vp9, '-an'];
    const source = await made('huge.mp4', ...words);
    const { answer } = await imported(source);
    expect(answer).toMatchObject({ problem: { code: 'too_large', width: 4_096, height: 4_096 } });
    // What the container says is a lie: the decoder itself has a bound.
    const bytes = readFileSync(source);
    const entry = boxAt(bytes, 'moov trak mdia minf stbl stsd').bodyAt + 8;
    bytes.writeUInt32BE((64 << 16) | 64, entry + 32);
    writeFileSync(source, bytes);
    expect((await imported(source)).answer).toMatchObject({
      ok: false,
      problem: { code: 'damaged' },
    });
  });

  testWith(needs('mpeg4'), 'a codec that nobody here knows', async () => {
    const source = await made('old.mkv', '-c:v', 'mpeg4', '-c:a', 'aac');
    const { answer } = await imported(source);
    expect(answer).toMatchObject({
      problem: { code: 'codec', of: 'picture', wanted: 'H.264' },
      text: expect.stringContaining('save it as H.264'),
    });
  });

  testWith(needs('libx265'), 'packets that are bent are left out, or all is refused', async () => {
    const source = await made('bent.mp4', '-c:v', ...x265, '-an');
    const bytes = readFileSync(source);
    const { at, size } = boxAt(bytes, 'mdat');
    for (let place = at + 400; place < at + size; place += 97) bytes[place] = (place * 31) & 255;
    writeFileSync(source, bytes);
    const { answer } = await imported(source);
    if (!answer.ok) expect(answer.problem.code).toBe('damaged');
  });
});

test('without the transcoder the sentence says what was found and what is wanted', async () => {
  const path = join(temporaryFolder(), 'stub.ts');
  const problem = { code: 'codec', of: 'picture', found: 'H.265 (HEVC)', wanted: 'H.264' };
  // The process that copies names what it found; only one that converts would be asked again.
  writeFileSync(
    path,
    `console.log(${JSON.stringify(JSON.stringify({ problem }))}); process.exit(0);`,
  );
  const source = join(temporaryFolder(), 'upload');
  writeFileSync(source, 'any');
  const { answer } = await imported(source, { workerUrl: pathToFileURL(path) });
  expect(answer).toMatchObject({
    problem,
    text: 'The picture is H.265 (HEVC): save it as H.264',
    isFinal: true,
  });
});
