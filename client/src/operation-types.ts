// What a path takes and answers, by the types of the interface.
import type { paths } from './openapi.ts';

export type Method = 'get' | 'post' | 'put' | 'delete';

/** What stands at a path under a method; never where nothing does. */
export type OperationAt<P extends keyof paths, M extends Method> = NonNullable<paths[P][M]>;

/** What success is answered with, as `{ 'application/json': Channel }`; never where there is no body. */
type ContentOf<O> = O extends { responses: infer R }
  ? R[keyof R] extends { content: infer C }
    ? C
    : never
  : never;

/** The JSON that an operation answers; undefined where it has nothing to say, never where that is something else. */
export type JsonOf<O> = [O] extends [never]
  ? never
  : [ContentOf<O>] extends [never]
    ? undefined
    : ContentOf<O> extends { 'application/json': infer J }
      ? J
      : never;

/** Paths that can be asked for by a method and answer JSON, or nothing. */
export type PathWith<M extends Method> = {
  [P in keyof paths]: [JsonOf<OperationAt<P, M>>] extends [never] ? never : P;
}[keyof paths];

/** Paths of files: CSV, pictures, lines. */
export type DownloadPath = {
  [P in keyof paths]: [ContentOf<OperationAt<P, 'get'>>] extends [never]
    ? never
    : [JsonOf<OperationAt<P, 'get'>>] extends [never]
      ? P
      : never;
}[keyof paths];

/** Paths whose answer is JSON line by line, by GET. */
export type LinePath = {
  [P in keyof paths]: [LinesAt<P>] extends [never] ? never : P;
}[keyof paths];

type LinesAt<P extends keyof paths> =
  ContentOf<OperationAt<P, 'get'>> extends { 'application/x-ndjson': (infer Line)[] }
    ? Line
    : never;

/** One line. */
export type LineOf<P extends LinePath> = LinesAt<P>;

/** What goes with a call: parameters of the path, the query and the headers, the body; what must be there is required. */
export type InitOf<O> = ParamsOf<O> & BodyOf<O> & CommonInit;

export interface CommonInit {
  /** Ends the call, and what waits for its next try. */
  signal?: AbortSignal;
  headers?: Record<string, string>;
}

/** Extends what has no required key. */
type Nothing = Record<never, never>;

/** `[init]`, or `[init?]` where nothing of it is required: what follows the path in a call. */
export type InitArguments<O> = Nothing extends InitOf<O> ? [init?: InitOf<O>] : [init: InitOf<O>];

type ParamsOf<O> = O extends { parameters: infer P }
  ? Nothing extends GivenParams<P>
    ? { params?: GivenParams<P> }
    : { params: GivenParams<P> }
  : unknown;

/** Without what an operation has none of, and without cookies, which are a browser's own. */
type GivenParams<P> = { [K in keyof P as P[K] extends undefined ? never : K]: P[K] };

type BodyOf<O> = O extends { requestBody: { content: infer C } }
  ? { body: SentAs<C> }
  : O extends { requestBody?: { content: infer C } }
    ? { body?: SentAs<C> }
    : unknown;

/** Fields as JSON; a file as it is. */
type SentAs<C> = C extends { 'application/json': infer J } ? J : Blob;

/** Paths of lists that have pages. */
export type PagedPath = {
  [P in keyof paths]: [PageAt<P>] extends [never] ? never : P;
}[keyof paths];

/** One page of a list, as it is answered. */
export type PageOf<P extends PagedPath> = PageAt<P>;

/** Lists are asked for by GET with the page in the query, the audience of the interface by POST with it in the body. */
type PageAt<P extends keyof paths> =
  HasCursor<QueryOf<OperationAt<P, 'get'>>> extends true
    ? JsonOf<OperationAt<P, 'get'>>
    : HasCursor<FieldsOf<OperationAt<P, 'post'>>> extends true
      ? JsonOf<OperationAt<P, 'post'>>
      : never;

/** What goes with the call for a page. */
export type PageInitOf<P extends PagedPath> =
  HasCursor<QueryOf<OperationAt<P, 'get'>>> extends true
    ? OperationAt<P, 'get'>
    : OperationAt<P, 'post'>;

type QueryOf<O> = O extends { parameters: { query?: infer Q } } ? NonNullable<Q> : never;
type FieldsOf<O> = O extends { requestBody?: { content: { 'application/json': infer J } } }
  ? J
  : never;

type HasCursor<Fields> = [Fields] extends [never]
  ? false
  : Extract<keyof Fields, 'p' | 'before'> extends never
    ? false
    : true;

/** One row of a list: of `{ videos: Video[]; meta: …; links: … }` and of `Video[]` it is `Video`. */
export type RowOf<P extends PagedPath> = RowIn<PageOf<P>>;

type RowIn<Page> = Page extends readonly (infer Row)[]
  ? Row
  : { [K in keyof Page]: Page[K] extends readonly (infer Row)[] ? Row : never }[keyof Page];
