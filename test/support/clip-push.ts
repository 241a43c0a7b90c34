// Pushes the test clip over and over, as an encoder would, until it is ended, cut or thrown out.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readFlvFile } from '../../src/stream/formats/flv-file.ts';
import { type Clip, clipOf, pushClip } from '../../src/stream/rtmp/paced-push.ts';
import { publishTo, type RtmpPublisher } from '../../src/stream/rtmp/rtmp-client.ts';
import { patience } from './machine-pace.ts';

export const clipFile = join(import.meta.dir, '../../clip/clip.flv');
/** Few pictures: without a graphics card each is painted by the processor, on every page. */
export const calmClipFile = join(import.meta.dir, '../fixtures/media/calm.flv');

export function testClip(file = clipFile): Clip {
  return clipOf(readFlvFile(readFileSync(file)));
}

export interface ClipPush {
  publisher: RtmpPublisher;
  /** Media that was handed to the socket so far. */
  sentMs(): number;
  /** Ends it in good order. */
  end(): Promise<void>;
  /** Resolves when it is over, with the reason where it did not end by itself. */
  over: Promise<string | undefined>;
}

export const letInWithinMs = 10_000;

/** Resolves when the server has let it in; rejects with its words where it does not. */
export async function startClipPush(
  url: string,
  clip = testClip(),
  { loop = true } = {},
): Promise<ClipPush> {
  const publisher = await publishTo(url, { timeoutMs: patience(letInWithinMs) });
  const stop = new AbortController();
  let sentMs = 0;
  const onTag = ({ timestampMs }: { timestampMs: number }) => {
    sentMs = timestampMs;
  };
  const over = pushClip(publisher, clip, { loop, signal: stop.signal, onTag }).then(
    () => undefined,
    (error: Error) => error.message,
  );
  return {
    publisher,
    sentMs: () => sentMs,
    end: async () => {
      stop.abort();
      await over;
    },
    over,
  };
}
