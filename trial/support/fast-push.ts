// Pushes a clip faster than it plays: the same bytes and stamps in less time.
import { type Clip, pushClip } from '../../src/stream/rtmp/paced-push.ts';
import { publishTo } from '../../src/stream/rtmp/rtmp-client.ts';
import { letInWithinMs, testClip } from '../../test/support/clip-push.ts';
import { patience } from '../../test/support/machine-pace.ts';

export interface FastPush {
  /** Media that was handed to the socket so far. */
  sentMs(): number;
  /** Ends it in good order. */
  end(): Promise<void>;
  /** Drops the socket, as a broken line would. */
  cut(): Promise<void>;
  /** Resolves when it is over. */
  over: Promise<void>;
  /** Why it ended, where nobody here ended it. */
  readonly trouble: string | undefined;
}

/** Over and over, or once, `speed` seconds of media a second. */
export async function startFastPush(
  url: string,
  speed: number,
  { clip = testClip(), loop = true } = {},
): Promise<FastPush> {
  const publisher = await publishTo(url, { timeoutMs: patience(letInWithinMs) });
  const stop = new AbortController();
  let sentMs = 0;
  let isOurs = false;
  let trouble: string | undefined;
  const fast = {
    send: (tag: Parameters<typeof publisher.send>[0]) => {
      sentMs = Math.round(tag.timestampMs * speed);
      publisher.send({ ...tag, timestampMs: sentMs });
    },
    get waitingBytes() {
      return publisher.waitingBytes;
    },
    drained: () => publisher.drained(),
    end: () => publisher.end(),
    cut: () => publisher.cut(),
    closed: publisher.closed,
  };
  const options = { loop, signal: stop.signal };
  const over = pushClip(fast, hastened(clip, speed), options).catch((error: Error) => {
    if (!isOurs) trouble = error.message;
  });
  return {
    sentMs: () => sentMs,
    end: async () => {
      isOurs = true;
      stop.abort();
      await over;
    },
    cut: async () => {
      isOurs = true;
      publisher.cut();
      await over;
    },
    over,
    get trouble() {
      return trouble;
    },
  };
}

/** The clip with the times at which its packets are due; `send` gives them their own back. */
function hastened({ tags, durationMs }: Clip, speed: number): Clip {
  return {
    tags: tags.map((tag) => ({ ...tag, timestampMs: tag.timestampMs / speed })),
    durationMs: durationMs / speed,
  };
}
