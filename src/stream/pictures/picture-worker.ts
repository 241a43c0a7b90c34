// The program of the picture process: key frames on stdin, JPEGs on stdout, one after the other, at low priority.
import { giveWay, goFirst } from '../../base/lib/priority.ts';
import { TooLarge } from '../recording/worker/picture-check.ts';
import { MissingTranscoder } from '../recording/worker/transcoder.ts';
import { makePicture } from './make-picture.ts';
import { type Frame, type FrameKind, FrameReader, frameParts } from './picture-frames.ts';

giveWay();
goFirst();
const memoryBytesMax = Number(process.argv[2]);
const reader = new FrameReader();
// The service keeps stdin open for as long as it lives; it asks for one at a time.
for await (const piece of process.stdin)
  for (const frame of reader.push(piece)) await answer(frame);
process.exit(0);

async function answer({ first: record, second: keyFrame }: Frame): Promise<void> {
  const { kind, bytes } = await made(record, keyFrame);
  for (const part of frameParts(kind, bytes)) await Bun.write(Bun.stdout, part);
}

async function made(
  record: Uint8Array,
  keyFrame: Uint8Array,
): Promise<{ kind: FrameKind; bytes: Uint8Array }> {
  try {
    return { kind: 'made', bytes: await makePicture(record, keyFrame, memoryBytesMax) };
  } catch (error) {
    const sentence = error instanceof Error ? error.message : String(error);
    return { kind: kindOf(error), bytes: Buffer.from(sentence) };
  }
}

function kindOf(error: unknown): FrameKind {
  if (error instanceof MissingTranscoder) return 'no_decoder';
  return error instanceof TooLarge ? 'too_large' : 'failed';
}
