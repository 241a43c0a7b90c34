// A request of `/docs` by what was typed into its form, and as much of the answer as a page shows.

export type TrialKind = 'integer' | 'boolean' | 'string' | 'json';

export interface TrialField {
  name: string;
  place: 'path' | 'query' | 'header' | 'body';
  kind: TrialKind;
  isRequired: boolean;
  example: unknown;
}

export interface SentTrial {
  method: string;
  address: string;
  headers: Record<string, string>;
  body: string | undefined;
}

/** What is empty is not sent. */
export function sentOf({
  method,
  path,
  fields,
  token,
}: {
  method: string;
  path: string;
  fields: readonly (TrialField & { value: string })[];
  token: string;
}): SentTrial {
  const given = fields.filter(({ value }) => value.trim() !== '');
  const at = (place: TrialField['place']) => given.filter((field) => field.place === place);
  const filled = at('path').reduce(
    (made, { name, value }) => made.replace(`{${name}}`, encodeURIComponent(value.trim())),
    path,
  );
  const query = new URLSearchParams(at('query').map(({ name, value }) => [name, value]));
  const hasBody = fields.some(({ place }) => place === 'body');
  const body = Object.fromEntries(at('body').map((field) => [field.name, typedValue(field)]));
  return {
    method,
    address: `${filled}${query.size > 0 ? `?${query}` : ''}`,
    headers: {
      Authorization: `Bearer ${token}`,
      ...(hasBody && { 'Content-Type': 'application/json' }),
      ...Object.fromEntries(at('header').map(({ name, value }) => [name, value])),
    },
    body: hasBody ? JSON.stringify(body) : undefined,
  };
}

/** What cannot be read as its kind goes as it was typed: the service says what it wants. */
function typedValue({ kind, value }: { kind: TrialKind; value: string }): unknown {
  if (kind === 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

/** Of an answer of any length: what a reader looks at. */
const shownBytesMax = 100_000;

export async function readSome(answer: Response): Promise<string> {
  const type = answer.headers.get('content-type') ?? '';
  if (type.startsWith('image/')) {
    const { size } = await answer.blob();
    return `A picture of ${size.toLocaleString('en')} bytes (${type})`;
  }
  const reader = answer.body?.getReader();
  if (!reader) return '';
  const decoder = new TextDecoder();
  let text = '';
  let isCut = false;
  while (true) {
    const { done, value } = await reader.read();
    if (done) break;
    text += decoder.decode(value, { stream: true });
    isCut = text.length > shownBytesMax;
    if (isCut) break;
  }
  if (isCut) {
    await reader.cancel();
    return `${text.slice(0, shownBytesMax)}\n… and more`;
  }
  return type.startsWith('application/json') ? indented(text) : text;
}

function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
