// A clip with B-frames, of a size from which a variant is made and that costs little to encode; made by ffmpeg.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readFlvFile } from '../../src/stream/formats/flv-file.ts';
import { type Clip, clipOf } from '../../src/stream/rtmp/paced-push.ts';
import { temporaryFolder } from '../../test/support/engines.ts';
import { outside } from '../../test/support/recorded-clip.ts';

const seconds = 4;

export function reorderedClip(): Clip {
  const file = join(temporaryFolder(), 'clip.flv');
  const picture = ['-f', 'lavfi', '-i', `testsrc2=s=484x484:r=20:d=${seconds}`];
  const sound = ['-f', 'lavfi', '-i', `sine=f=440:r=44100:d=${seconds}`];
  const h264 = ['-c:v', 'libx264', '-preset', 'veryfast', '-bf', '3', '-g', '20'];
  const output = [...h264, '-pix_fmt', 'yuv420p', '-c:a', 'aac', '-shortest', '-y', file];
  outside('ffmpeg', ['-v', 'error', ...picture, ...sound, ...output]);
  return clipOf(readFlvFile(readFileSync(file)));
}
