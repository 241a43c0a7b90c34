// Reads a request's JSON body within its bounds.
import { nextTurn } from '../turns/turn-slice.ts';
import { ApiError } from './errors.ts';

/** Bodies of the interface are a few fields; this is generous. */
export const bodyBytesMax = 65_536;
/** They are a few levels deep. One of arrays in arrays, 32,000 deep, held everybody for up to 35 ms. */
const bodyDepthMax = 32;

/** The body is too long or too deep, or was not there in time. */
export class BodyRefusal extends ApiError {}

/** The rest of the body is not read, so the connection cannot be used again. */
const endsConnection = { connection: 'close' };

/** The fields of the body; an empty body and `[]` are no fields. One that trickles in for longer than this is cut. */
export async function readJsonBody(
  request: Request,
  withinMs: number,
  onRead: (bytes: number) => void = () => {},
): Promise<Record<string, unknown>> {
  const declared = Number(request.headers.get('content-length') ?? Number.NaN);
  if (declared > bodyBytesMax) throw tooLarge();
  const bytes = request.body
    ? await readBounded(request.body, { declared, withinMs, onRead })
    : new Uint8Array();
  if (bytes.length === 0) return {};
  checkContentType(request.headers.get('content-type'));
  if (isDeep(bytes)) throw new BodyRefusal('invalid', { message: 'The body is nested too deeply' });
  const value = parse(bytes);
  if (Array.isArray(value) && value.length === 0) return {};
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ApiError('invalid', { message: 'The body must be a JSON object' });
  }
  return value as Record<string, unknown>;
}

interface BodyReading {
  /** What the head says; not a number where it says nothing. */
  declared: number;
  withinMs: number;
  onRead: (bytes: number) => void;
}

/**
 * It is asked for once a turn, and Bun gives all that has come meanwhile in one piece. While a read waits, Bun gives each
 * chunk by itself, however small, all in the turn they came in: 64,000 chunks of a byte took 0.9 s.
 */
async function readBounded(
  body: ReadableStream<Uint8Array>,
  { declared, withinMs, onRead }: BodyReading,
): Promise<Uint8Array> {
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
      if (length > bodyBytesMax) throw tooLarge();
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

/** A client that names no type means JSON: the interface has nothing else. */
function checkContentType(type: string | null): void {
  if (type === null || isJsonType(type)) return;
  throw new ApiError('notJson', {
    message: `The body must be application/json in UTF-8 (got ${type})`,
  });
}

/** By a Content-Type. */
export function isJsonType(type: string): boolean {
  const [essence = '', ...parameters] = type
    .toLowerCase()
    .split(';')
    .map((part) => part.trim());
  const charset = parameters.find((part) => part.startsWith('charset='))?.slice('charset='.length);
  const isUtf8 = charset === undefined || /^"?utf-?8"?$/.test(charset);
  return essence === 'application/json' && isUtf8;
}

const mark = { quote: 0x22, backslash: 0x5c, opens: [0x5b, 0x7b], closes: [0x5d, 0x7d] };

/** Looked at before it is parsed, which is what costs. */
function isDeep(bytes: Uint8Array): boolean {
  let depth = 0;
  let isText = false;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] as number;
    if (byte === mark.quote) isText = !isText;
    else if (isText && byte === mark.backslash) at += 1;
    else if (!isText && mark.opens.includes(byte)) depth += 1;
    else if (!isText && mark.closes.includes(byte)) depth -= 1;
    if (depth > bodyDepthMax) return true;
  }
  return false;
}

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new ApiError('invalid', { message: 'The body is not valid JSON' });
  }
}

function tooLarge(): BodyRefusal {
  return new BodyRefusal('tooLarge', {
    message: `The body must be at most ${bodyBytesMax} bytes`,
    headers: endsConnection,
  });
}
