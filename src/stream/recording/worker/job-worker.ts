// The program of the process that makes a recording's files.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { MediaError } from '../../formats/packet.ts';
import { mp4File } from '../recording-folder.ts';
import { takeLadderSizes } from './ladder-sizes.ts';
import { makeCover } from './make-cover.ts';
import { makeMp4 } from './make-mp4.ts';
import { makeStoryboard } from './make-storyboard.ts';
import { makeVariant } from './make-variant.ts';
import type { Answer, Final, Order } from './order.ts';
import { checkPictures, TooLarge } from './picture-check.ts';
import { MissingTranscoder } from './transcoder.ts';
import { answerOneOrder } from './worker-program.ts';

/** Whoever begins that job again begins this one too. */
class MissingMp4 extends Error {
  constructor() {
    super('the MP4 that it would be made of could not be made');
  }
}

await answerOneOrder(answerTo);

async function answerTo(order: Order): Promise<Answer> {
  try {
    return { ok: true, size: await make(order) };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    const final = finalReason(error);
    return { ok: false, problem, ...(final && { final }) };
  }
}

function finalReason(error: unknown): Final | undefined {
  if (error instanceof MissingTranscoder) return 'transcoder';
  if (error instanceof TooLarge) return 'picture';
  if (error instanceof MissingMp4) return 'mp4';
  return error instanceof MediaError ? 'media' : undefined;
}

/** The size of what it has made. */
async function make({ kind, folder, memoryBytesMax }: Order): Promise<number> {
  if (kind === 'mp4') {
    await takeLadderSizes(folder);
    return await makeMp4(folder);
  }
  const video = join(folder, mp4File);
  if (!existsSync(video)) throw new MissingMp4();
  await checkPictures(folder, memoryBytesMax);
  if (kind !== 'cover') return await makeVariant(folder, video, kind);
  const size = await makeCover(folder, video);
  // Without it the bar has times alone, and nothing is wrong with the video.
  return size + (await makeStoryboard(folder, video).catch(() => 0));
}
