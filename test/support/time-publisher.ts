// An encoder whose pictures tell when they were made: raw frames into ffmpeg, RTMP out.
import { drawTime, type Picture } from './bar-code.ts';

export interface Encoding {
  name: string;
  /** What ffmpeg is told about x264. */
  options: readonly string[];
}

export const encodings = {
  zeroLatency: { name: 'zero latency', options: ['-preset', 'veryfast', '-tune', 'zerolatency'] },
  /** What OBS sends as it comes: three B-frames and a look-ahead of ten frames. */
  lookAhead: { name: 'B-frames, look-ahead', options: ['-preset', 'veryfast', '-bf', '3'] },
} satisfies Record<string, Encoding>;

export interface Show {
  picture: Picture;
  picturesPerSecond: number;
  /** Of the pictures. */
  bitsPerSecond: number;
  /** The time takes so much of the height, from the top; below it is noise, which takes all the bits that there are. */
  timeShare: number;
}

const plainShow: Show = {
  picture: { width: 640, height: 360 },
  picturesPerSecond: 30,
  bitsPerSecond: 2_000_000,
  timeShare: 1,
};
const keyFrameSeconds = 2;
/** Of the noise: so wide, it is still noise in a smaller picture. */
const grainPixels = 6;

export interface TimePublisher {
  /** Frames that were made late, because this process was. */
  readonly lateFrames: number;
  stop(): Promise<void>;
}

export function startTimePublisher(
  url: string,
  encoding: Encoding,
  show: Show = plainShow,
): TimePublisher {
  const child = Bun.spawn(ffmpegCommand(url, encoding, show), { stdin: 'pipe', stderr: 'inherit' });
  const { width, height } = show.picture;
  const lumaBytes = width * height;
  const frame = new Uint8Array(lumaBytes * 1.5).fill(128, lumaBytes);
  const time = { width, height: height * show.timeShare };
  const timeLuma = frame.subarray(0, width * time.height);
  const restLuma = frame.subarray(timeLuma.length, lumaBytes);
  const noise = noiseOf(restLuma.length);
  const startedAt = performance.now();
  let sent = 0;
  let late = 0;
  const timer = setInterval(() => {
    if (child.exitCode !== null) return clearInterval(timer);
    const due = Math.floor(((performance.now() - startedAt) * show.picturesPerSecond) / 1000);
    late += Math.max(0, due - sent - 1);
    for (; sent <= due; sent++) {
      drawTime(timeLuma, time, Date.now());
      const from = Math.floor(Math.random() * restLuma.length);
      restLuma.set(noise.subarray(from, from + restLuma.length));
      child.stdin.write(frame);
    }
    child.stdin.flush();
  }, 1);
  return {
    get lateFrames() {
      return late;
    },
    stop: async () => {
      clearInterval(timer);
      // The sound never ends by itself, and a read of the pictures is not broken off by a signal.
      child.kill('SIGTERM');
      await Promise.resolve(child.stdin.end()).catch(() => {});
      await child.exited;
    },
  };
}

/** Twice as much as is shown, so that each picture takes another piece of it. */
function noiseOf(length: number): Uint8Array {
  const noise = new Uint8Array(length * 2);
  for (let at = 0; at < noise.length; at += grainPixels)
    noise.fill(112 + Math.random() * 32, at, at + grainPixels);
  return noise;
}

function ffmpegCommand(
  url: string,
  { options }: Encoding,
  { picture: { width, height }, picturesPerSecond, bitsPerSecond }: Show,
): string[] {
  const rate = String(bitsPerSecond);
  const raw = ['-f', 'rawvideo', '-pix_fmt', 'yuv420p', '-s', `${width}x${height}`];
  return [
    ...['ffmpeg', '-nostdin', '-hide_banner', '-loglevel', 'error', '-fflags', 'nobuffer'],
    ...[...raw, '-r', String(picturesPerSecond), '-i', 'pipe:0'],
    ...['-f', 'lavfi', '-i', 'sine=frequency=220:sample_rate=48000'],
    ...['-map', '0:v', '-map', '1:a', '-c:v', 'libx264', ...options],
    ...['-b:v', rate, '-maxrate', rate, '-bufsize', rate],
    ...['-g', String(picturesPerSecond * keyFrameSeconds), '-sc_threshold', '0'],
    ...['-c:a', 'aac', '-b:a', '128k', '-flush_packets', '1', '-f', 'flv', url],
  ];
}
