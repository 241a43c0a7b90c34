// Follows the events of an account, and comes back where the connection was cut.
import { FootlightError } from './footlight-error.ts';
import type { components } from './openapi.ts';
import { pause } from './retry.ts';
import { sseMessages } from './sse-messages.ts';
import { textLines } from './text-lines.ts';

/** An event, and the place behind it: who comes back with that gets what follows. By its `type` the `data` is known. */
export type FollowedEvent = (components['schemas']['Event'] | MissingEvents) & { position: string };

/** Some events behind the place one came back with are not kept any more. */
export interface MissingEvents {
  type: 'missing';
  /** Their numbers in the order of events. */
  data: { from: number; to: number };
}

export type EventType = components['schemas']['Event']['type'];

export interface FollowOptions {
  /** Only these; all that the token may see where they are not given. */
  types?: readonly EventType[];
  /** Only of this channel. */
  channel?: number;
  /** `position` of the last event that was dealt with; without it what comes from now on. */
  after?: string;
  /** Ends it, with its reason. */
  signal?: AbortSignal;
  /** A connection on which nothing came for so long is taken for dead; the service says every 15 seconds that it lives. */
  idleMs?: number;
}

const usualIdleMs = 60_000;
/** Between two connections that brought nothing; doubled from the first on. */
const waitMs = { first: 1_000, most: 30_000 };

/** What opens a stream behind a place; throws a `FootlightError` where it is refused. */
export type OpenStream = (order: {
  query: { types?: string; channel?: number };
  after: string | undefined;
  signal: AbortSignal;
}) => Promise<Response>;

/**
 * Does not end by itself. Where the first connection fails it throws, as it does where the service says that the
 * caller may not; a connection that is cut later is made again until it holds.
 */
export async function* followEvents(
  open: OpenStream,
  { types, channel, after, signal, idleMs = usualIdleMs }: FollowOptions,
): AsyncGenerator<FollowedEvent, void, undefined> {
  const query = {
    ...(types && { types: types.join() }),
    ...(channel !== undefined && { channel }),
  };
  let position = after;
  let isFirst = true;
  let firstWaitMs = waitMs.first;
  for (let fails = 0; ; fails += 1) {
    const connection = new Connection(idleMs, signal);
    try {
      const response = await open({ query, after: position, signal: connection.signal });
      isFirst = false;
      if (!response.body) throw new Error('The answer has no body');
      for await (const message of sseMessages(connection.heard(textLines(response.body)))) {
        fails = 0;
        position = message.lastEventId ?? position;
        firstWaitMs = message.retryMs ?? firstWaitMs;
        if (message.data !== undefined) yield eventOf(message.event, message.data, position ?? '');
      }
    } catch (error) {
      signal?.throwIfAborted();
      if (isFirst || !isPassing(error)) throw error;
    } finally {
      connection.end();
    }
    const least = Math.min(firstWaitMs * 2 ** fails, waitMs.most);
    await pause(least * (1 + Math.random()), signal);
  }
}

/** Whether to come back may help: it was cut, or the service has too much to do. */
function isPassing(error: unknown): boolean {
  if (error instanceof BadEvent) return false;
  return !(error instanceof FootlightError) || [0, 429, 502, 503, 504].includes(error.status);
}

/** What came is no event: to come back would bring it again. */
class BadEvent extends Error {}

function eventOf(name: string, text: string, position: string): FollowedEvent {
  try {
    const data = JSON.parse(text);
    return name === 'missing' ? { type: 'missing', data, position } : { ...data, position };
  } catch (cause) {
    throw new BadEvent(`An event is no JSON: ${text.slice(0, 100)}`, { cause });
  }
}

/** One connection, ended by its reader, by whoever follows, or when nothing has come for too long. */
class Connection {
  private readonly idleMs: number;
  private readonly from: AbortSignal | undefined;
  private readonly controller = new AbortController();
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(idleMs: number, from: AbortSignal | undefined) {
    this.idleMs = idleMs;
    this.from = from;
    from?.addEventListener('abort', this.end, { once: true });
    if (from?.aborted) this.end();
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** The lines as they come; each says that the connection lives. Who reads them may take their time. */
  async *heard(lines: AsyncIterable<string>): AsyncGenerator<string, void, undefined> {
    this.listen();
    for await (const line of lines) {
      clearTimeout(this.timer);
      yield line;
      this.listen();
    }
  }

  private listen(): void {
    this.timer = setTimeout(this.end, this.idleMs);
  }

  readonly end = (): void => {
    clearTimeout(this.timer);
    this.from?.removeEventListener('abort', this.end);
    this.controller.abort();
  };
}
