// Where an operation is asked for, by whom and with which fields: one line of a feature's table.
import type { BodyStream } from './body-stream.ts';
import type { Caller, CallerFor, Need } from './caller.ts';
import type { ErrorName } from './errors.ts';
import type { Given, Shape } from './shape.ts';

/**
 * A line of a table, with the types of its fields: `P` in the path, `Q` in the query, `B` in the body, `R` the names
 * of those that the body must have; `S` where the answer is a stream; `N` what it wants of who asks. Of
 *
 *     put('/v1/activities/{channel_id}', 'channels:write', {
 *       params: { channel_id: integer(…) }, body: { name: text(…) }, required: ['name'],
 *     })
 *
 * `P` is `{ channel_id: Field<number> }`, `Q` is `NoFields`, `B` is `{ name: Field<string> }`, `R` is `'name'`,
 * `S` is `never` and `N` is `'channels:write'`.
 */
export interface Endpoint<
  P extends Shape = Shape,
  Q extends Shape = Shape,
  B extends Shape = Shape,
  R extends string = string,
  S extends StreamType = StreamType,
  N extends Need = Need,
> extends Details<P, Q, B, R, S> {
  /** Where there is no HEAD of its own, a GET answers it. */
  method: 'GET' | 'HEAD' | 'OPTIONS' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With `{name}` for each parameter, as the interface and OpenAPI write it. */
  path: `/${string}`;
  scope: N;
}

/** What a request may hold and how it is answered, with the types of `Endpoint`. */
interface Details<P, Q, B, R, S> {
  params?: P;
  /** What is missing where a path parameter names nothing. */
  absent?: ErrorName;
  query?: Q;
  /** Absent: the operation takes no body. */
  body?: B;
  required?: readonly R[];
  /** A name in the query or the body that it does not know is refused: without what that was to say it does more. */
  strict?: boolean;
  /** Fields of the body are read from the query too, which has no others: so the addresses in `Link` can be followed. */
  bodyInQuery?: boolean;
  /** Single reads carry an ETag and answer 304. */
  single?: boolean;
  /** It shows what no row knows, as who is there now: its answer is made each time, as all are that need no scope. */
  fresh?: boolean;
  /** The handler answers `Pieces`, line after line; of a picture its bytes. */
  streamed?: S;
  /** The body is a file, not fields: the handler gets its bytes. */
  takes?: TakenFile;
  /** The body is of any length: the handler gets it piece by piece, as it comes. */
  receives?: ReceivedStream;
  /** Success is 201 with `Location`, as a protocol of others wants it; everywhere else it is 200. */
  creates?: boolean;
  /** It is part of a protocol of others, whose version a request must name. */
  speaks?: Protocol;
  /** It needs no scope and yet acts by the console's cookie, where one comes: then who writes is looked at as a caller is. */
  byCookie?: boolean;
  /**
   * Where it is not as usual: the audit log has every write, and no read. `nothing`: it changes nothing lasting.
   * `taken`: it takes people's data along, or a secret that stands for them. `changes`: only where an operation of the
   * store says that it changed something.
   */
  audit?: 'nothing' | 'taken' | 'changes';
  /** Fields of the body whose values the audit log has, too: names, and nothing that may be secret or a viewer's. */
  told?: readonly string[];
}

/** A protocol that is not ours; who asks names its version in a header, which no form can send, and so do all answers. */
export interface Protocol {
  header: string;
  version: string;
  /** The header of a refusal that says which versions are spoken. */
  versionsHeader: string;
}

/** What an operation takes piece by piece. */
export interface ReceivedStream {
  /** As Content-Type names it. */
  type: string;
}

/** Which files an operation takes. */
export interface TakenFile {
  /** As Content-Type names them. What is in it is the handler's to find out. */
  types: readonly string[];
  bytesMax: number;
  /** What a file of another type is not. */
  otherwise: Extract<ErrorName, 'notImage' | 'notCaptions'>;
}

type NoFields = Readonly<Record<never, never>>;

/** What an answer in pieces, or one that is a file, may be. */
export type StreamType =
  | 'text/csv'
  | 'text/vtt'
  | 'application/x-ndjson'
  | 'text/event-stream'
  | PictureType;
export type PictureType = 'image/jpeg';

/** `get('/v1/videos', 'videos:read', { query: { p: pageNumber } })` is a line of a table. */
export const get = endpointsOf('GET');
export const post = endpointsOf('POST');
export const put = endpointsOf('PUT');
/** A POST whose body is a file: `upload('/manage/v1/…/images', 'channels:write', { takes: { types, … } })`. */
export const upload = filesBy('POST');
/** A PUT whose body is a file, in the place of the one that there was. */
export const replace = filesBy('PUT');

function filesBy(method: Endpoint['method']) {
  return <P extends Shape = NoFields, Q extends Shape = NoFields, const N extends Need = Need>(
    path: Endpoint['path'],
    scope: N,
    details: Pick<Details<P, Q, NoFields, never, never>, 'params' | 'absent' | 'query'> & Takes,
  ): Endpoint<P, Q, NoFields, never, never, N> & Takes => ({ method, path, scope, ...details });
}

interface Takes {
  takes: TakenFile;
}

/** A PATCH whose body is of any length: `receive('/manage/v1/uploads/{upload_id}', 'videos:write', { receives: { type } })`. */
export function receive<P extends Shape = NoFields, const N extends Need = Need>(
  path: Endpoint['path'],
  scope: N,
  details: Pick<
    Details<P, NoFields, NoFields, never, never>,
    'params' | 'absent' | 'speaks' | 'audit'
  > &
    Receives,
): Endpoint<P, NoFields, NoFields, never, never, N> & Receives {
  return { method: 'PATCH', path, scope, ...details };
}

interface Receives {
  receives: ReceivedStream;
}

/** Not `delete`, which is a word of the language. */
export const remove = endpointsOf('DELETE');
export const head = endpointsOf('HEAD');
export const options = endpointsOf('OPTIONS');

function endpointsOf(method: Endpoint['method']) {
  return <
    P extends Shape = NoFields,
    Q extends Shape = NoFields,
    B extends Shape = NoFields,
    R extends keyof B & string = never,
    S extends StreamType = never,
    const N extends Need = Need,
  >(
    path: Endpoint['path'],
    scope: N,
    details: Details<P, Q, B, R, S> & { told?: readonly NoInfer<keyof B & string>[] },
  ): Endpoint<P, Q, B, R, S, N> => ({ method, path, scope, ...details });
}

/**
 * A request as a handler sees it; nothing of the HTTP server is in it. `P`, `Q` and `B` are what was read:
 * in a `Call<{ channel_id: number }, { p?: number }, { name: string }>` `params.channel_id` is a number. `C` is who
 * asks: undefined where anyone may.
 */
export interface Call<P, Q, B, C = Caller> {
  caller: C;
  params: P;
  query: Q;
  body: B;
  /** `http://host:port` that addresses in the answer start with. */
  baseUrl: string;
  /** Path and query as they came, for the links of a list. */
  target: string;
  header(name: string): string | null;
  /** Of who asks, also through proxies that are trusted. */
  address(): string;
}

/**
 * The call that an endpoint's handler gets. Where `rename` is the endpoint in the example above, `CallOf<typeof rename>`
 * is `Call<{ channel_id: number }, {}, { name: string }>`.
 */
export type CallOf<E extends Endpoint> =
  E extends Endpoint<infer P, infer Q, infer B, infer R, StreamType, infer N>
    ? Call<Given<P, keyof P>, Given<Q>, BodyOf<E, Given<B, R & keyof B>>, CallerFor<N>>
    : never;

/** The bytes of a file where the endpoint takes one, what comes where it receives a stream, else the fields `F`. */
type BodyOf<E extends Endpoint, F> = E extends Takes
  ? Uint8Array
  : E extends Receives
    ? BodyStream
    : F;
