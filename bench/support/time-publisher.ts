// An encoder whose pictures tell when they were made: raw frames into ffmpeg, RTMP out.
import { drawTime } from './bar-code.ts';

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

const picture = { width: 640, height: 360 };
const framesPerSecond = 30;
const keyFrameSeconds = 2;

export interface TimePublisher {
  /** Frames that were made late, because this process was. */
  readonly lateFrames: number;
  stop(): Promise<void>;
}

export function startTimePublisher(url: string, encoding: Encoding): TimePublisher {
  const child = Bun.spawn(ffmpegCommand(url, encoding), { stdin: 'pipe', stderr: 'inherit' });
  const lumaBytes = picture.width * picture.height;
  const frame = new Uint8Array(lumaBytes * 1.5).fill(128, lumaBytes);
  const luma = frame.subarray(0, lumaBytes);
  const startedAt = performance.now();
  let sent = 0;
  let late = 0;
  const timer = setInterval(() => {
    if (child.exitCode !== null) return clearInterval(timer);
    const due = Math.floor(((performance.now() - startedAt) * framesPerSecond) / 1000);
    late += Math.max(0, due - sent - 1);
    for (; sent <= due; sent++) {
      drawTime(luma, picture, Date.now());
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

function ffmpegCommand(url: string, { options }: Encoding): string[] {
  const { width, height } = picture;
  const raw = ['-f', 'rawvideo', '-pix_fmt', 'yuv420p', '-s', `${width}x${height}`];
  return [
    ...['ffmpeg', '-nostdin', '-hide_banner', '-loglevel', 'error', '-fflags', 'nobuffer'],
    ...[...raw, '-r', String(framesPerSecond), '-i', 'pipe:0'],
    ...['-f', 'lavfi', '-i', 'sine=frequency=220:sample_rate=48000'],
    ...['-map', '0:v', '-map', '1:a', '-c:v', 'libx264', ...options, '-b:v', '2M'],
    ...['-g', String(framesPerSecond * keyFrameSeconds), '-sc_threshold', '0'],
    ...['-c:a', 'aac', '-b:a', '128k', '-flush_packets', '1', '-f', 'flv', url],
  ];
}
