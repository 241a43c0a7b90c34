// Reads a form-encoded body as if it were JSON, within the same bounds.
import { readBodyBytes } from './body-bytes.ts';
import { ApiError } from './errors.ts';
import { bodyBytesMax, partsOfType } from './json-body.ts';
import { parametersOf } from './request.ts';

/** By a Content-Type. */
export function isFormType(type: string | null): boolean {
  return type !== null && partsOfType(type).essence === 'application/x-www-form-urlencoded';
}

/** The fields of the form: texts, and lists where a name came twice; an empty text clears a field, as it does in JSON. */
export async function readFormBody(
  request: Request,
  withinMs: number,
  onRead: (bytes: number) => void = () => {},
): Promise<Record<string, unknown>> {
  const bytes = await readBodyBytes(request, { bytesMax: bodyBytesMax, withinMs, onRead });
  const type = request.headers.get('content-type') ?? '';
  if (!partsOfType(type).isUtf8)
    throw new ApiError('notJson', { message: `A form must be in UTF-8 (got ${type})` });
  const text = textOf(bytes);
  // No field is called so. Of one that says nothing nothing is lost.
  if (/^\s*[{[]/.test(text)) {
    if (/^\s*(\{\s*\}|\[\s*\])\s*$/.test(text)) return {};
    throw jsonAsForm(type);
  }
  const fields = [...parametersOf(text, 'The form')].map(
    ([name, values]) => [name, values.length > 1 ? values : values[0]] as const,
  );
  if (fields.some((field) => field.flat().some((text) => text?.includes(broken)))) throw notUtf8();
  return Object.fromEntries(fields);
}

/** As `curl -d` sends it where nobody names a type. */
function jsonAsForm(type: string): ApiError {
  return new ApiError('notJson', {
    message: `The body was read as a form (${type}), and looks like JSON: send Content-Type: application/json`,
  });
}

/** What a decoder puts where bytes are no character. */
const broken = '\uFFFD';

function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw notUtf8();
  }
}

function notUtf8(): ApiError {
  return new ApiError('invalid', { message: 'The form is not valid UTF-8' });
}
