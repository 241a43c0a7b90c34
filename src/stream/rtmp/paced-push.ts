// Sends a clip as an encoder would: each packet at its time, once or over and over.
import { type FlvTag, isSequenceHeader } from '../formats/flv-file.ts';
import type { RtmpPublisher } from './rtmp-client.ts';

export interface Clip {
  readonly tags: readonly FlvTag[];
  /** Where the next round begins. */
  readonly durationMs: number;
}

/** Beyond this the line is slower than the clip: what is due waits. */
const waitingBytesMax = 1_048_576;
/** Timers are this coarse anyway; packets due within it go together. */
const graceMs = 2;

export function clipOf(all: Iterable<FlvTag>): Clip {
  const tags = [...all];
  const first = tags[0]?.timestampMs ?? 0;
  const video = tags.filter(({ type, body }) => type === 'video' && body.length > 5);
  const counted = video.length > 1 ? video : tags;
  const spanMs = (counted.at(-1)?.timestampMs ?? 0) - (counted[0]?.timestampMs ?? 0);
  const stepMs = counted.length > 1 ? spanMs / (counted.length - 1) : 0;
  const shifted = tags.map((tag) => ({ ...tag, timestampMs: tag.timestampMs - first }));
  return { tags: shifted, durationMs: Math.round(spanMs + stepMs) };
}

export interface PushOptions {
  loop?: boolean;
  /** Ends the push in good order. */
  signal?: AbortSignal;
  /** Told of each packet before it is sent. */
  onTag?(tag: FlvTag): void;
}

/** Resolves when the clip is over or the signal came; throws where the server or the network ended it. */
export async function pushClip(
  publisher: RtmpPublisher,
  clip: Clip,
  { loop = false, signal, onTag }: PushOptions = {},
): Promise<void> {
  const startedAt = performance.now();
  let closed: string | undefined;
  publisher.closed.then((reason) => {
    closed = reason;
  });
  const parameters = new SentParameters();
  for (let round = 0; loop || round === 0; round++) {
    for (const tag of clip.tags) {
      if (parameters.hasSent(tag)) continue;
      const timestampMs = round * clip.durationMs + tag.timestampMs;
      const earlyMs = timestampMs - (performance.now() - startedAt);
      if (earlyMs > graceMs) await Bun.sleep(earlyMs);
      if (publisher.waitingBytes > waitingBytesMax) await publisher.drained();
      if (signal?.aborted) break;
      if (closed !== undefined) throw new Error(`the push was ended: ${closed}`);
      const due = { ...tag, timestampMs };
      onTag?.(due);
      publisher.send(due);
    }
    if (signal?.aborted || clip.tags.length === 0) break;
  }
  await publisher.drained();
  await publisher.end();
}

/** An encoder sends a track's parameters once, and again only where they have changed. */
class SentParameters {
  private readonly last = new Map<FlvTag['type'], Uint8Array>();

  /** Whether these were the last ones of their kind; from now on they are. */
  hasSent(tag: FlvTag): boolean {
    const { type, body } = tag;
    if (type !== 'script' && !isSequenceHeader(tag)) return false;
    const last = this.last.get(type);
    this.last.set(type, body);
    return last !== undefined && Buffer.compare(last, body) === 0;
  }
}
