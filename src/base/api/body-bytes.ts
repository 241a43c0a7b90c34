// Reads the bytes of a request's body, so many at most and in so much time.
import { nextTurn } from '../turns/turn-slice.ts';
import { ApiError } from './errors.ts';

/** The body is too long or too deep, or was not there in time. */
export class BodyRefusal extends ApiError {}

export interface BodyReading {
  bytesMax: number;
  /** One that trickles in for longer than this is cut. */
  withinMs: number;
  onRead: (bytes: number) => void;
}

/** What the head says of the body's length; not a number where it says nothing. */
export function declaredBytes({ headers }: Request): number {
  return Number(headers.get('content-length') ?? Number.NaN);
}

export async function readBodyBytes(request: Request, reading: BodyReading): Promise<Uint8Array> {
  const declared = declaredBytes(request);
  if (declared > reading.bytesMax) throw tooLarge(reading);
  return request.body ? await readBounded(request.body, declared, reading) : new Uint8Array();
}

/** The rest of the body is not read, so the connection cannot be used again. */
export const endsConnection = { connection: 'close' };

/**
 * It is asked for once a turn, and Bun gives all that has come meanwhile in one piece. While a read waits, Bun gives each
 * chunk by itself, however small, all in the turn they came in: 64,000 chunks of a byte took 0.9 s.
 */
async function readBounded(
  body: ReadableStream<Uint8Array>,
  declared: number,
  reading: BodyReading,
): Promise<Uint8Array> {
  const { bytesMax, withinMs, onRead } = reading;
  const reader = body.getReader();
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    late.reject(
      new BodyRefusal('invalid', {
        message: `The body did not arrive within ${withinMs / 1000} s`,
        headers: endsConnection,
      }),
    );
  }, withinMs);
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    while (length !== declared) {
      if (chunks.length > 0) await nextTurn();
      const { done, value } = await Promise.race([reader.read(), late.promise]);
      if (done) break;
      length += value.length;
      onRead(value.length);
      if (length > bytesMax) throw tooLarge(reading);
      chunks.push(value);
    }
    return chunks.length === 1 ? (chunks[0] as Uint8Array) : Buffer.concat(chunks);
  } catch (error) {
    reader.cancel().catch(() => {});
    if (error instanceof ApiError) throw error;
    throw new ApiError('invalid', { message: 'The body broke off', cause: error });
  } finally {
    clearTimeout(timer);
  }
}

function tooLarge({ bytesMax }: BodyReading): BodyRefusal {
  return new BodyRefusal('tooLarge', {
    message: `The body must be at most ${bytesMax} bytes`,
    headers: endsConnection,
  });
}
