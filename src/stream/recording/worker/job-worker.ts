// The program of the worker process: one order on stdin, one answer on stdout, at low priority.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { giveWay, goFirst } from '../../../base/lib/priority.ts';
import { MediaError } from '../../formats/packet.ts';
import { mp4File } from '../recording-folder.ts';
import { makeCover } from './make-cover.ts';
import { makeMp4 } from './make-mp4.ts';
import { makeVariant } from './make-variant.ts';
import type { Answer, Final, Order } from './order.ts';
import { checkPictures, TooLarge } from './picture-check.ts';
import { MissingTranscoder } from './transcoder.ts';

/** Whoever begins that job again begins this one too. */
class MissingMp4 extends Error {
  constructor() {
    super('the MP4 that it would be made of could not be made');
  }
}

giveWay();
goFirst();
// Only the owner may read the files it makes, as all of the data folder.
process.umask(0o077);
const order = await orderFrom(process.stdin);
const answer = await answerTo(order);
await Bun.write(Bun.stdout, `${JSON.stringify(answer)}\n`);
process.exit(0);

/** The service keeps stdin open for as long as it lives: without it nobody waits for the answer. */
function orderFrom(stdin: NodeJS.ReadStream): Promise<Order> {
  let text = '';
  return new Promise((resolve) => {
    stdin.setEncoding('utf8');
    stdin.on('data', (piece: string) => {
      text += piece;
      const end = text.indexOf('\n');
      if (end >= 0) resolve(JSON.parse(text.slice(0, end)) as Order);
    });
    stdin.on('end', () => process.exit(1));
  });
}

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
  if (kind === 'mp4') return await makeMp4(folder);
  const video = join(folder, mp4File);
  if (!existsSync(video)) throw new MissingMp4();
  await checkPictures(folder, memoryBytesMax);
  return await (kind === 'cover' ? makeCover(folder, video) : makeVariant(folder, video, kind));
}
