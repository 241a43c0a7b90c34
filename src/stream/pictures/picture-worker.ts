// The program of the picture process: key frames on stdin, JPEGs on stdout, one after the other, at low priority.
import { giveWay, goFirst } from '../../base/lib/priority.ts';
import { failureOf } from '../recording/worker/why-failed.ts';
import { type Message, MessageReader, messagePieces } from '../recording/worker/worker-messages.ts';
import { makePicture } from './make-picture.ts';
import type { PictureQuestion, PictureTold } from './picture-messages.ts';

giveWay();
goFirst();
const memoryBytesMax = Number(process.argv[2]);
const reader = new MessageReader<PictureQuestion>();
// The service keeps stdin open for as long as it lives; it asks for one at a time.
for await (const piece of process.stdin)
  for (const question of reader.push(piece)) await answer(question);
process.exit(0);

async function answer({ words, bytes }: Message<PictureQuestion>): Promise<void> {
  const record = bytes.subarray(0, words.recordBytes);
  const keyFrame = bytes.subarray(words.recordBytes);
  try {
    await tell({ kind: 'made' }, await makePicture(record, keyFrame, memoryBytesMax));
  } catch (error) {
    await tell({ kind: 'failed', ...failureOf(error) });
  }
}

async function tell(words: PictureTold, bytes?: Uint8Array): Promise<void> {
  for (const piece of messagePieces(words, bytes)) await Bun.write(Bun.stdout, piece);
}
