// What the packager makes, read by a program that is not ours.
import { afterAll, describe, expect } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Clip, clip, play, readClip } from '../../../test/fixtures/media/clip.ts';
import { testWith } from '../../../test/support/needs.ts';
import { wholeSegment } from '../../../test/support/whole-segment.ts';
import { audioTrackOf } from '../formats/aac.ts';
import type { Segment } from './fragment.ts';
import { livePlaylist } from './playlist.ts';
import { Segmenter, targetDurationMs } from './segmenter.ts';

const lacking =
  Bun.which('ffprobe') && Bun.which('ffmpeg') ? undefined : 'it needs ffmpeg and ffprobe';
const folder = mkdtempSync(join(tmpdir(), 'footlight-packaging-'));
afterAll(() => rmSync(folder, { recursive: true }));

const picture = (rate: string) => ['-f', 'lavfi', '-i', `testsrc2=size=160x90:rate=${rate}`];
const tone = (rate = 44_100) => ['-f', 'lavfi', '-i', `sine=sample_rate=${rate}`];
const h264 = (group: number, bFrames: number) =>
  `-c:v libx264 -preset ultrafast -pix_fmt yuv420p -g ${group} -bf ${bFrames}`.split(' ');
const aac = (channels: number) => `-c:a aac -b:a 48k -ac ${channels}`.split(' ');

describe('ffprobe reads', () => {
  testWith(lacking, 'the clip of the repository', async () => {
    const { video, audio } = judged(clip);
    expect(video).toMatchObject({
      codec_name: 'h264',
      r_frame_rate: '30/1',
      nb_read_frames: '120',
    });
    expect(video).toMatchObject({ width: 320, height: 180, has_b_frames: 2, profile: 'High' });
    expect(Number(video?.duration)).toBeCloseTo(4, 3);
    expect(audio).toMatchObject({ codec_name: 'aac', sample_rate: '44100', channels: 2 });
    expect(Number(audio?.duration)).toBeCloseTo((174 * 1024) / 44_100 + 0.044, 1);
  });

  for (const { rate, bFrames } of [
    { rate: '24000/1001', bFrames: 2 },
    { rate: '24000/1001', bFrames: 0 },
    { rate: '30000/1001', bFrames: 2 },
    { rate: '60/1', bFrames: 0 },
    { rate: '1/1', bFrames: 0 },
  ]) {
    testWith(lacking, `${rate} pictures a second with ${bFrames} B-frames`, async () => {
      const made = encoded([...picture(rate), ...tone(48_000), ...h264(30, bFrames), ...aac(2)]);
      const { video, audio } = judged(made);
      expect(video?.r_frame_rate).toBe(rate);
      expect(video?.nb_read_frames).toBe(String(count(made, 'video')));
      expect(audio?.nb_read_frames).toBe(String(count(made, 'audio')));
      expect(audio?.sample_rate).toBe('48000');
    });
  }

  testWith(lacking, 'pictures alone', async () => {
    const made = encoded([...picture('25'), ...h264(50, 2)]);
    const { video, audio } = judged(made);
    expect(audio).toBeUndefined();
    expect(video).toMatchObject({ r_frame_rate: '25/1', nb_read_frames: '75' });
    expect(Number(video?.duration)).toBeCloseTo(3, 3);
  });

  testWith(lacking, 'sound alone, mono at 22.05 kHz', async () => {
    const made = encoded([...tone(22_050), ...aac(1)]);
    const { video, audio } = judged(made);
    expect(video).toBeUndefined();
    expect(audio).toMatchObject({ sample_rate: '22050', channels: 1 });
    expect(audio?.nb_read_frames).toBe(String(count(made, 'audio')));
    expect(Number(audio?.duration)).toBeCloseTo((count(made, 'audio') * 1024) / 22_050, 3);
  });

  testWith(lacking, 'HE-AAC by the rate that it is heard at', async () => {
    const made = encoded([...tone(22_050), ...aac(2)]);
    // A core of 22.05 kHz that spectral band replication doubles (ISO 14496-3 1.6.5.2).
    const highEfficiency = audioTrackOf(Uint8Array.of(0x2b, 0x92, 0x08, 0x00));
    const { audio } = judged({ ...made, tracks: [highEfficiency] });
    expect(audio).toMatchObject({ sample_rate: '44100', time_base: '1/22050' });
  });
});

testWith(lacking, 'a playlist with a cut push plays from end to end', async () => {
  const segments: Segment[] = [];
  const segmenter = segmenterInto(segments);
  for (const track of clip.tracks) segmenter.track(track);
  for (const packet of clip.packets) segmenter.packet(packet);
  segmenter.resumed();
  play(later(clip, 6_000), segmenter);
  for (const segment of segments) {
    writeFileSync(join(folder, `init-${segment.init.sequence}.mp4`), segment.init.bytes);
    writeFileSync(join(folder, `${segment.sequence}.m4s`), wholeSegment(segment));
  }
  const playlist = livePlaylist({
    segments,
    partTargetMs: segmenter.partTargetMs,
    targetDurationMs,
    discontinuitySequence: 0,
    isEnded: true,
  });
  writeFileSync(join(folder, 'live.m3u8'), playlist);
  // It warns of every init after the first: its HLS reader hands them all to one MP4 reader.
  const { video, audio } = probe(join(folder, 'live.m3u8'), 'error');
  expect(video?.nb_read_frames).toBe('240');
  expect(audio?.nb_read_frames).toBe('348');
});

interface Stream {
  codec_type: string;
  r_frame_rate: string;
  nb_read_frames: string;
  duration: string;
  sample_rate?: string;
}

function encoded(args: string[]): Clip {
  const flv = run(['ffmpeg', '-v', 'error', ...args, '-t', '3', '-f', 'flv', '-']);
  return readClip(flv);
}

/** Sound before the first picture is not packaged. */
function count({ packets }: Clip, kind: 'video' | 'audio'): number {
  const startMs = packets.find((packet) => packet.kind === 'video')?.dtsMs ?? 0;
  return packets.filter((packet) => packet.kind === kind && packet.dtsMs >= startMs).length;
}

function later({ tracks, packets }: Clip, ms: number): Clip {
  const moved = packets.map((packet) => ({
    ...packet,
    dtsMs: packet.dtsMs + ms,
    ptsMs: packet.ptsMs + ms,
  }));
  return { tracks, packets: moved };
}

function judged(made: Clip): ReturnType<typeof probe> {
  const segments: Segment[] = [];
  play(made, segmenterInto(segments));
  const [first] = segments;
  if (!first) throw new Error('nothing was made');
  const file = join(folder, 'judged.mp4');
  writeFileSync(file, Buffer.concat([first.init.bytes, ...segments.map(wholeSegment)]));
  return probe(file);
}

function segmenterInto(segments: Segment[]): Segmenter {
  return new Segmenter({
    firstSequence: 1,
    now: () => Date.UTC(2026, 0, 1),
    readers: [
      {
        partAdded: () => {},
        segmentEnded: (segment) => segments.push(segment),
        ended: () => {},
      },
    ],
  });
}

/** Every frame is decoded; a single word of complaint fails. */
function probe(
  file: string,
  complaints = 'warning',
): { video: Stream | undefined; audio: Stream | undefined } {
  const args = `-v ${complaints} -count_frames -show_streams -of json`.split(' ');
  const { streams } = JSON.parse(run(['ffprobe', ...args, file]).toString()) as {
    streams: Stream[];
  };
  const of = (kind: string) => streams.find(({ codec_type }) => codec_type === kind);
  return { video: of('video'), audio: of('audio') };
}

function run(command: string[]): Buffer {
  const { stdout, stderr, exitCode } = Bun.spawnSync(command);
  expect(stderr.toString()).toBe('');
  expect(exitCode).toBe(0);
  return stdout;
}
