// Reads a request's JSON body within its bounds.
import { BodyRefusal, readBodyBytes } from './body-bytes.ts';
import { ApiError } from './errors.ts';

/** Bodies of the interface are a few fields; this is generous. */
export const bodyBytesMax = 65_536;
/** They are a few levels deep. One of arrays in arrays, 32,000 deep, held everybody for up to 35 ms. */
const bodyDepthMax = 32;

/** The fields of the body; an empty body and `[]` are no fields. One that trickles in for longer than this is cut. */
export async function readJsonBody(
  request: Request,
  withinMs: number,
  onRead: (bytes: number) => void = () => {},
): Promise<Record<string, unknown>> {
  const bytes = await readBodyBytes(request, { bytesMax: bodyBytesMax, withinMs, onRead });
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

/** A client that names no type means JSON: the interface has nothing else. */
function checkContentType(type: string | null): void {
  if (type === null || isJsonType(type)) return;
  throw new ApiError('notJson', {
    message: `The body must be application/json in UTF-8 (got ${type})`,
  });
}

/** By a Content-Type. */
export function isJsonType(type: string): boolean {
  const { essence, isUtf8 } = partsOfType(type);
  return essence === 'application/json' && isUtf8;
}

/** A Content-Type without its parameters. */
export function essenceOf(type: string): string {
  return partsOfType(type).essence;
}

/** Of a Content-Type; one that names no charset is UTF-8. */
export function partsOfType(type: string): { essence: string; isUtf8: boolean } {
  const [essence = '', ...parameters] = type
    .toLowerCase()
    .split(';')
    .map((part) => part.trim());
  const charset = parameters.find((part) => part.startsWith('charset='))?.slice('charset='.length);
  return { essence, isUtf8: charset === undefined || /^"?utf-?8"?$/.test(charset) };
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
