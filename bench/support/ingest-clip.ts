// The clip that `bench ingest` pushes: some seconds of 720p at 2 Mbps, made once with ffmpeg.
import { existsSync, mkdirSync, renameSync } from 'node:fs';
import { dirname } from 'node:path';

/** Noise over a test picture, so that the encoder needs the rate it is given. */
const picture = 'testsrc2=size=1280x720:rate=30,noise=alls=12:allf=t';
const tone = 'sine=frequency=440:sample_rate=48000';

const videoOptions =
  '-c:v libx264 -preset veryfast -profile:v main -pix_fmt yuv420p -bf 0 -g 60 -sc_threshold 0 ' +
  '-b:v 2M -minrate 2M -maxrate 2M -bufsize 2M -x264-params nal-hrd=cbr';
const audioOptions = '-c:a aac -b:a 128k -ac 2';

export async function makeClip(file: string, seconds: number): Promise<void> {
  if (existsSync(file)) return;
  mkdirSync(dirname(file), { recursive: true });
  const unfinished = `${file}.part`;
  const words = (text: string) => text.split(' ');
  const { exitCode, stderr } = Bun.spawnSync([
    ...['ffmpeg', '-y', '-v', 'error', '-f', 'lavfi', '-i', picture, '-f', 'lavfi', '-i', tone],
    ...words(videoOptions),
    ...words(audioOptions),
    ...['-t', String(seconds), '-f', 'flv', unfinished],
  ]);
  if (exitCode !== 0) throw new Error(`ffmpeg could not make the clip: ${stderr}`);
  renameSync(unfinished, file);
}
