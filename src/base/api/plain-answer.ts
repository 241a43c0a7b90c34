// An answer outside the interface: pages, probes and their like, by path; by GET, or where a page has a form by POST too.
import type { Scope } from './caller.ts';
import type { ApiError } from './errors.ts';

/** A request as the handler of a path sees it; nothing of the HTTP server is in it. */
export interface PlainCall {
  /** What stood in the path where the handler's has a `:name`. */
  params: Record<string, string>;
  query: URLSearchParams;
  header(name: string): string | null;
  /** Who asks, also through proxies that are trusted. */
  address: string;
  baseUrl: string;
  /** Whether the request comes from this machine itself, not through a proxy on it. */
  isLocal: boolean;
  /** Throws unless the request carries a token with the scope. */
  authorize(scope: Scope): Promise<void>;
}

/** An answer before it is a `Response`: touching a Response's headers costs more than making them. */
export interface PlainAnswer {
  status?: number;
  headers: Record<string, string>;
  /** Each a `Set-Cookie` of its own. */
  cookies?: readonly string[] | undefined;
  body: string | Uint8Array<ArrayBuffer> | Blob | ReadableStream<Uint8Array> | null;
}

export interface PlainHandler {
  (call: PlainCall): Promise<PlainAnswer> | PlainAnswer;
  /** A page has a form, which is sent to its own address. */
  submit?(call: PlainCall, fields: Record<string, unknown>): Promise<PlainAnswer>;
  /** A page says what is wrong by a page. */
  refuse?(call: Pick<PlainCall, 'header'>, error: ApiError): Promise<PlainAnswer>;
}
