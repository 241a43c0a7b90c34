// The route table: a feature's endpoints, what is said of each and who answers it, joined.
import * as z from 'zod';
import type { KnownCaller } from './caller.ts';
import type { Call, CallOf, Endpoint, PictureType } from './endpoint.ts';
import type { ErrorName } from './errors.ts';
import type { Pieces } from './pieces.ts';
import type { Shape } from './shape.ts';

/**
 * Joins a feature's table `T`, its docs `D` and its handlers by name, in the order of the table:
 *
 *     routes({
 *       table: { getVideo: get('/v1/videos/{video_id}', …) },
 *       docs: { getVideo: docs({ answer: videoAnswer, … }) },
 *       handlers: { getVideo: async (call, { store }) => … },
 *       parts: { store },
 *     })
 *
 * A line that has no docs or no handler, or one of another type, does not compile; nor do docs or a handler `H` that
 * no line has.
 */
export function routes<
  T extends Endpoints,
  D extends DocsOf<T>,
  H extends Handlers<T, D, Parts>,
  Parts extends HasStore,
>(feature: {
  table: T;
  docs: D & NoOther<D, T>;
  handlers: H & NoOther<H, T>;
  parts: Parts;
}): AnyRoute[] {
  const { table, parts } = feature;
  const docs: DocsOf<T> = feature.docs;
  const handlers: Handlers<T, D, Parts> = feature.handlers;
  return Object.keys(table).map((operationId: keyof T & string) => ({
    operationId,
    params: {},
    query: {},
    ...table[operationId],
    ...docs[operationId],
    // The HTTP edge has read the call by these fields before it calls this.
    handle: (call, store = parts.store) =>
      handlers[operationId](call as CallOf<T[typeof operationId]>, { ...parts, store }),
  }));
}

/** An operation as the server holds it: joined, with its types forgotten. */
export interface AnyRoute extends Endpoint, OperationDocs {
  operationId: string;
  params: Shape;
  query: Shape;
  /** `store`: instead of the feature's own; the HTTP edge gives one that notes in the audit log what is written. */
  handle(
    call: Call<unknown, unknown, unknown, KnownCaller | undefined>,
    store?: object,
  ): Promise<Answer<unknown>>;
}

const readMethods: readonly Endpoint['method'][] = ['GET', 'HEAD', 'OPTIONS'];

/** Whether the audit log has it. */
export function isAudited({ method, audit }: Pick<AnyRoute, 'method' | 'audit'>): boolean {
  return audit === undefined ? !readMethods.includes(method) : audit !== 'nothing';
}

/** Whether the log has every one that is answered. */
export function isAlwaysAudited(entry: Pick<AnyRoute, 'method' | 'audit'>): boolean {
  return isAudited(entry) && entry.audit !== 'changes';
}

/** Every feature keeps what it has in the database. */
interface HasStore {
  store: object;
}

type Endpoints = Readonly<Record<string, Endpoint>>;

/** Nothing can be the value of a key of `A` that `T` does not have: with `{ a: 1; b: 2 }` and `{ a: 0 }`, `{ b: never }`. */
type NoOther<A, T> = { [Name in Exclude<keyof A, keyof T>]: never };

type DocsOf<T extends Endpoints> = Readonly<Record<keyof T, OperationDocs>>;

/**
 * The handlers that a table `T` with the docs `D` needs; each gets the feature's `Parts` too. For
 *
 *     T = { getVideo: Endpoint<{ video_id: Field<number> }, …> }
 *     D = { getVideo: OperationDocs<typeof videoAnswer> }
 *
 * it is `{ getVideo: (call: CallOf<T['getVideo']>, parts: Parts) => Promise<Answer<Video>> }`, `Video` being what
 * `videoAnswer` describes.
 */
export type Handlers<T extends Endpoints, D extends DocsOf<T>, Parts> = {
  [Name in keyof T]: (
    call: CallOf<T[Name]>,
    parts: Parts,
  ) => Promise<Answer<Made<T[Name], D[Name]['answer']>>>;
};

/** The answer of an operation that has nothing to say but its headers: its body is null, its status 204. */
export const nothing = z.null();

/** What an operation's success is answered with. Existing clients of the interface take nothing but 200. */
export function successOf({
  method,
  answer,
  creates,
}: Pick<AnyRoute, 'method' | 'answer' | 'creates'>): 200 | 201 | 204 {
  if (answer === nothing) return method === 'HEAD' ? 200 : 204;
  return creates ? 201 : 200;
}

/** What a handler answers: with `{ open: boolean }` for `A`, `{ body: { open: true } }`. */
export interface Answer<A> {
  body: A;
  headers?: Record<string, string>;
  /** Of an operation that is no read: each a `Set-Cookie` of its own. */
  cookies?: readonly string[];
}

/**
 * `Pieces` where the endpoint is a stream, bytes where it is a picture, else what the schema `A` describes: `number` for
 * a `z.ZodNumber`.
 */
type Made<E extends Endpoint, A extends z.ZodType> =
  E extends Endpoint<Shape, Shape, Shape, string, never>
    ? z.output<A>
    : E extends Endpoint<Shape, Shape, Shape, string, PictureType>
      ? Uint8Array<ArrayBuffer>
      : Pieces;

/**
 * What `/openapi.json` and `/docs` say of an operation. `A` is the schema of its answer, which the example must
 * match: with `answer: z.object({ open: z.boolean() })` it is `{ open: true }`. Of a stream both are of one line.
 */
export interface OperationDocs<A extends z.ZodType = z.ZodType> {
  summary: string;
  /** What else a caller must know, in whole sentences. */
  note?: string;
  answer: A;
  example: z.output<A>;
  /** Beyond those that every operation may answer. */
  errors?: readonly ErrorName[];
  /** What each says; where it must be given, with an example. */
  requestHeaders?: Record<string, string | { description: string; example: string }>;
  answerHeaders?: Record<string, string>;
}

/** Keeps the type of an answer: `docs({ answer: videoAnswer, … })` is an `OperationDocs<typeof videoAnswer>`. */
export function docs<A extends z.ZodType>(said: OperationDocs<A>): OperationDocs<A> {
  return said;
}
