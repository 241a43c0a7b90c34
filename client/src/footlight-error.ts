// What goes wrong with a call, as one class: the service's refusals, and answers that never came.

/** A field at fault, and what was wanted. */
export interface FieldProblem {
  name: string;
  message: string;
}

export interface ErrorParts {
  message: string;
  status?: number | undefined;
  code?: number | undefined;
  fields?: readonly FieldProblem[] | undefined;
  requestId?: string | undefined;
  retryAfter?: number | undefined;
  cause?: unknown;
}

export class FootlightError extends Error {
  override readonly name = 'FootlightError';
  /** Of HTTP; 0 where no answer came. */
  readonly status: number;
  /** Of the service's catalogue, as 404002; 0 where it is not the service that answered. */
  readonly code: number;
  /** The fields at fault, if any. */
  readonly fields: readonly FieldProblem[];
  /** Finds the request in the service's log; empty where no answer came. */
  readonly requestId: string;
  /** Seconds after which it may be tried again, where the service says so. */
  readonly retryAfter: number | undefined;

  constructor(parts: ErrorParts) {
    super(parts.message, { cause: parts.cause });
    this.status = parts.status ?? 0;
    this.code = parts.code ?? 0;
    this.fields = parts.fields ?? [];
    this.requestId = parts.requestId ?? '';
    this.retryAfter = parts.retryAfter;
  }
}

/** Of an answer that is no success; `body` is what it says, read as JSON where it is. */
export function errorOf(response: Response, body: unknown): FootlightError {
  const said = saidIn(body);
  const { status, headers } = response;
  return new FootlightError({
    message: said ? sentenceOf(said) : `The answer is ${status}, and not of Footlight`,
    status,
    code: said?.code,
    fields: said?.fields,
    requestId: said?.request_id ?? headers.get('x-request-id') ?? '',
    retryAfter: secondsOf(headers.get('retry-after')),
  });
}

interface Said {
  code: number;
  message: string;
  fields: FieldProblem[];
  request_id: string;
}

function saidIn(body: unknown): Said | undefined {
  const errors = (body as { errors?: Partial<Said> } | null | undefined)?.errors;
  if (typeof errors?.code !== 'number' || typeof errors.message !== 'string') return undefined;
  const { code, message, fields = [], request_id = '' } = errors;
  return { code, message, fields, request_id };
}

/** With what was wrong of each field, as that is what a reader of the log wants to know. */
function sentenceOf({ message, fields }: Said): string {
  if (fields.length === 0) return message;
  return `${message}: ${fields.map((field) => field.message).join('; ')}`;
}

/** `Retry-After`: seconds, or a date (RFC 9110 10.2.3). */
function secondsOf(header: string | null): number | undefined {
  if (header === null) return undefined;
  if (/^\d+$/.test(header)) return Number(header);
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - Date.now()) / 1_000));
}
