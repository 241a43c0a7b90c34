// Recordings for tests, made of clips that ffmpeg encodes; ffprobe and ffmpeg judge what becomes of them.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from './engines.ts';
import { indexOfFile } from './file-index.ts';

/** What a test lacks that needs the outside programs. */
export const noFfmpeg =
  Bun.which('ffmpeg') && Bun.which('ffprobe') ? undefined : 'it needs ffmpeg and ffprobe';

export const startsAt = 1_700_000_000_000;

export interface ClipOptions {
  /** `none`: sound alone. */
  size?: `${number}x${number}` | 'none';
  seconds?: number;
  hasSound?: boolean;
  /** More options of ffmpeg for the output. */
  more?: readonly string[];
}

/** A folder with a recording of these clips, one after another as after a reconnect. */
export async function recordedClips(...clips: ClipOptions[]): Promise<string> {
  const folder = temporaryFolder();
  const pieces = clips.map((clip, at) => {
    const file = join(folder, `clip-${at}.mp4`);
    encode(clip, file);
    return readFileSync(file);
  });
  writeFileSync(join(folder, 'source.mp4'), Buffer.concat(pieces));
  for (const at of clips.keys()) await Bun.file(join(folder, `clip-${at}.mp4`)).delete();
  await writeIndex(folder);
  return folder;
}

export async function writeIndex(folder: string): Promise<void> {
  const text = await indexOfFile(join(folder, 'source.mp4'), (atMs) => startsAt + atMs);
  writeFileSync(join(folder, 'source.index'), text);
}

function encode(
  { size = '320x180', seconds = 3, hasSound = true, more = [] }: ClipOptions,
  file: string,
): void {
  const picture = ['-f', 'lavfi', '-i', `testsrc2=s=${size}:r=25:d=${seconds}`];
  const sound = ['-f', 'lavfi', '-i', `sine=f=440:r=48000:d=${seconds}`];
  const inputs = [...(size === 'none' ? [] : picture), ...(hasSound ? sound : [])];
  const h264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-g', '25'];
  const fragments = ['-movflags', 'frag_keyframe+empty_moov+default_base_moof+skip_trailer'];
  const output = [...h264, '-c:a', 'aac', ...fragments, '-frag_duration', '1000000', ...more];
  outside('ffmpeg', ['-v', 'error', ...inputs, ...output, '-y', file]);
}

/** What an outside program says; anything on stderr fails the test. */
export function outside(program: 'ffmpeg' | 'ffprobe', args: readonly string[]): string {
  const { stdout, stderr } = Bun.spawnSync([program, ...args]);
  if (stderr.length > 0) throw new Error(`${program} ${args.join(' ')}: ${stderr}`);
  return stdout.toString();
}

export interface ProbedPacket {
  codec_type: 'video' | 'audio';
  pts_time: string;
  dts_time: string;
  size: string;
  flags: string;
  data_hash: string;
}

/** Every packet of a file as ffprobe reads it, with a hash of its bytes. */
export function packetsOf(file: string, kind: 'video' | 'audio'): ProbedPacket[] {
  const args = ['-v', 'warning', '-show_packets', '-show_data_hash', 'md5', '-of', 'json', file];
  const { packets } = JSON.parse(outside('ffprobe', args)) as { packets: ProbedPacket[] };
  return packets.filter(({ codec_type }) => codec_type === kind);
}

export interface ProbedFrame {
  media_type: 'video' | 'audio';
  pts_time: string;
  width?: number;
  height?: number;
  key_frame: number;
}

/** Every frame that ffprobe can decode. */
export function framesOf(file: string, kind: 'video' | 'audio'): ProbedFrame[] {
  const args = ['-v', 'warning', '-show_frames', '-of', 'json', file];
  const { frames } = JSON.parse(outside('ffprobe', args)) as { frames: ProbedFrame[] };
  return frames.filter(({ media_type }) => media_type === kind);
}
