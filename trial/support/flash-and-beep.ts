// A show in which a flash and a beep come together, and a judge of how far apart they are in what became of it.
import { join } from 'node:path';
import { temporaryFolder } from '../../test/support/engines.ts';
import { outside } from '../../test/support/recorded-clip.ts';

/** Between two flashes. */
const everySeconds = 5;
/** Of a flash, and of a beep. */
const lastsSeconds = 0.2;

/** An FLV file of it. Sound has 44,100 samples a second, of which frames make no whole number of milliseconds. */
export function flashAndBeep(seconds: number): string {
  const file = join(temporaryFolder(), 'flash.flv');
  const isOn = `lt(mod(t\\,${everySeconds})\\,${lastsSeconds})`;
  const picture = `color=black:s=880x500:r=10:d=${seconds},drawbox=c=white:t=fill:enable='${isOn}'`;
  const sound = `aevalsrc='if(${isOn},0.5*sin(6283*t),0)':s=44100:d=${seconds}`;
  const inputs = ['-f', 'lavfi', '-i', picture, '-f', 'lavfi', '-i', sound];
  const h264 = [
    '-c:v',
    'libx264',
    '-preset',
    'ultrafast',
    '-pix_fmt',
    'yuv420p',
    '-g',
    '20',
    '-bf',
    '2',
  ];
  outside('ffmpeg', ['-v', 'error', ...inputs, ...h264, '-c:a', 'aac', '-f', 'flv', '-y', file]);
  return file;
}

export interface Step {
  flashes: number;
  /** How much later the sound is than the picture, at least and at most; milliseconds. */
  leastMs: number;
  mostMs: number;
}

/** Of a file, or of a playlist by its address. */
export async function stepOf(media: string): Promise<Step> {
  const detectors = ['-vf', 'blackdetect=d=0.3:pix_th=0.2', '-af', 'silencedetect=n=-30dB:d=0.3'];
  const words = [
    'ffmpeg',
    '-nostdin',
    '-hide_banner',
    '-i',
    media,
    ...detectors,
    '-f',
    'null',
    '-',
  ];
  const child = Bun.spawn(words, { stdin: 'ignore', stdout: 'ignore', stderr: 'pipe' });
  const said = await child.stderr.text();
  if ((await child.exited) !== 0) throw new Error(`ffmpeg says: ${said.slice(-500)}`);
  return stepIn(said);
}

/** Of what ffmpeg's detectors say: the end of black is a flash, that of silence a beep. */
export function stepIn(said: string): Step {
  const secondsOf = (word: string) =>
    [...said.matchAll(new RegExp(`${word}: ?([\\d.]+)`, 'g'))].map(([, at]) => Number(at));
  const beeps = secondsOf('silence_end');
  const [from = 0, to = 0] = [beeps[0], beeps.at(-1)];
  // What ends the file ends black and silence, too, and is neither; so does what begins it.
  const flashes = secondsOf('black_end').filter((at) => at > from - 1 && at < to - 1);
  const offMs = flashes.map((at) => {
    const nearest = beeps.reduce(
      (best, one) => (Math.abs(one - at) < Math.abs(best - at) ? one : best),
      from,
    );
    return Math.round((nearest - at) * 1_000);
  });
  return { flashes: flashes.length, leastMs: Math.min(...offMs), mostMs: Math.max(...offMs) };
}
