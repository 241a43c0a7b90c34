// One entry of the route table: what a caller may ask, what it must hold, what it answers and who makes the answer.
import type * as z from 'zod';
import type { Caller, Scope } from './caller.ts';
import type { ErrorName } from './errors.ts';
import type { Pieces } from './pieces.ts';
import type { Given, Shape } from './shape.ts';

/** A request as a handler sees it; nothing of the HTTP server is in it. */
export interface Call<P, Q, B> {
  caller: Caller;
  params: P;
  query: Q;
  body: B;
  /** `http://host:port` that addresses in the answer start with. */
  baseUrl: string;
  /** Path and query as they came, for the links of a list. */
  target: string;
  header(name: string): string | null;
}

export interface Answer<A> {
  body: A;
  headers?: Record<string, string>;
}

/** What an answer in pieces may be. */
export type StreamType = 'text/csv' | 'application/x-ndjson';

export interface Route<
  P extends Shape = Shape,
  Q extends Shape = Shape,
  B extends Shape = Shape,
  R extends keyof B & string = never,
  A extends z.ZodType = z.ZodType,
> {
  operationId: string;
  method: 'GET' | 'POST' | 'PUT';
  /** With `{name}` for each parameter, as the interface and OpenAPI write it. */
  path: `/${string}`;
  summary: string;
  /** What else a caller must know, in whole sentences. */
  note?: string;
  /** The part of the interface it implements; `own` for what is ours alone, under `/manage/v1`. */
  section: string;
  scope: Scope;
  params: P;
  query: Q;
  /** Absent: the operation takes no body. */
  body?: B;
  required?: readonly R[];
  /** Fields of the body are read from the query too, so that the addresses in `Link` can be followed. */
  bodyInQuery?: boolean;
  answer: A;
  example: z.output<A>;
  /** Single reads carry an ETag and answer 304. */
  single?: boolean;
  /** What is missing where a path parameter names nothing. */
  absent?: ErrorName;
  /** Beyond those that every operation may answer. */
  errors?: readonly ErrorName[];
  requestHeaders?: Record<string, string>;
  answerHeaders?: Record<string, string>;
  handle(call: Call<Given<P, keyof P>, Given<Q>, Given<B, R>>): Promise<Answer<z.output<A>>>;
}

/** A route that answers line after line; `answer` and `example` are of one line. */
export type StreamedRoute<
  P extends Shape,
  Q extends Shape,
  B extends Shape,
  R extends keyof B & string,
  A extends z.ZodType,
> = Omit<Route<P, Q, B, R, A>, 'handle' | 'single'> & {
  streamed: StreamType;
  handle(call: Call<Given<P, keyof P>, Given<Q>, Given<B, R>>): Promise<Answer<Pieces>>;
};

/** A route with its types forgotten, as the table holds it. */
export type AnyRoute = Omit<Route, 'handle' | 'required'> & {
  required?: readonly string[];
  /** Where it is set, the handler answers `Pieces`. */
  streamed?: StreamType;
  handle(call: Call<never, never, never>): Promise<Answer<unknown>>;
};

/** Keeps the types of one entry while it is written; the table forgets them. */
export function route<
  P extends Shape,
  Q extends Shape,
  B extends Shape,
  A extends z.ZodType,
  R extends keyof B & string = never,
>(entry: Route<P, Q, B, R, A>): AnyRoute {
  return entry as unknown as AnyRoute;
}

/** The same for an answer in pieces. */
export function streamedRoute<
  P extends Shape,
  Q extends Shape,
  B extends Shape,
  A extends z.ZodType,
  R extends keyof B & string = never,
>(entry: StreamedRoute<P, Q, B, R, A>): AnyRoute {
  return entry as unknown as AnyRoute;
}
