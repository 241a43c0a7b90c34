// The service as the console asks it: JSON over the person's cookie, with errors as values.
import type { FieldProblem } from '../../../base/api/errors.ts';

/** Why there is no answer. */
export interface Problem {
  /** `away`: nobody could be reached. `left`: whoever asked has gone. `refused`: the service says why. */
  kind: 'away' | 'left' | 'refused';
  /** HTTP's; 0 where there was no answer. */
  status: number;
  /** The catalogue's; 0 where there was no answer. */
  code: number;
  message: string;
  fields: FieldProblem[];
  /** How long to wait before the next try; 0 where nothing was said. */
  retrySeconds: number;
}

export type Reply<T> = { value: T; problem?: never } | { value?: never; problem: Problem };

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

export interface Ask {
  body?: object;
  signal?: AbortSignal;
  /** A 401 is what is asked about, not a session that is over: signing in. */
  isOpen?: boolean;
}

/** Of a file that is sent. */
export interface Sending {
  /** `POST` where absent. */
  method?: 'POST' | 'PUT';
  signal: AbortSignal;
  /** How much of it has gone, from 0 to 1. */
  onProgress(share: number): void;
}

export interface ApiOptions {
  fetch(path: string, init: RequestInit): Promise<Response>;
  /** Sends a file as it is; rejects where there is no answer. */
  send(path: string, file: Blob, sending: Sending): Promise<Response>;
  /** After each try: whether the service could be reached. */
  onReach(isReached: boolean): void;
  /** Nobody is signed in, or not any more. */
  onUnauthorized(): void;
}

/** With what its answer's text means; undefined where it means nothing. */
interface ReadAsk<T> extends Ask {
  readAs(text: string): T | undefined;
}

export class Api {
  private readonly options: ApiOptions;

  constructor(options: ApiOptions) {
    this.options = options;
  }

  get<T>(path: string, signal?: AbortSignal): Promise<Reply<T>> {
    return this.ask<T>('GET', path, signal ? { signal } : {});
  }

  post<T>(path: string, body: object = {}, more: Omit<Ask, 'body'> = {}): Promise<Reply<T>> {
    return this.ask<T>('POST', path, { ...more, body });
  }

  put<T>(path: string, body: object): Promise<Reply<T>> {
    return this.ask<T>('PUT', path, { body });
  }

  remove<T>(path: string): Promise<Reply<T>> {
    return this.ask<T>('DELETE', path);
  }

  /** A file, of the type that it has. */
  upload<T>(path: string, file: Blob, sending: Sending): Promise<Reply<T>> {
    return this.answered<T>(() => this.options.send(path, file, sending), {
      ...sending,
      readAs: asJson,
    });
  }

  /** What is answered as it is, and no JSON. */
  text(path: string): Promise<Reply<string>> {
    return this.read<string>('GET', path, { readAs: (text) => text });
  }

  /** What is answered as lines, to be kept as a file. */
  file(path: string, body: object): Promise<Reply<Blob>> {
    return this.read<Blob>('POST', path, { body, readAs: (text) => new Blob([text]) });
  }

  ask<T>(method: Method, path: string, ask: Ask = {}): Promise<Reply<T>> {
    return this.read<T>(method, path, { ...ask, readAs: asJson });
  }

  private read<T>(method: Method, path: string, ask: ReadAsk<T>): Promise<Reply<T>> {
    const { body, signal } = ask;
    const send = () =>
      this.options.fetch(path, {
        method,
        credentials: 'same-origin',
        // By the cookie a write is taken as JSON alone, also one that has no body.
        headers: method === 'GET' ? {} : { 'content-type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
        ...(signal && { signal }),
      });
    return this.answered<T>(send, ask);
  }

  private async answered<T>(
    send: () => Promise<Response>,
    { signal, isOpen = false, readAs }: Pick<ReadAsk<T>, 'signal' | 'isOpen' | 'readAs'>,
  ): Promise<Reply<T>> {
    let response: Response;
    let text: string;
    try {
      response = await send();
      text = await response.text();
    } catch {
      if (signal?.aborted) return { problem: noAnswer('left') };
      this.options.onReach(false);
      return { problem: noAnswer('away') };
    }
    // A proxy says these where the service behind it is gone, and so does a service that stops.
    this.options.onReach(![502, 503, 504].includes(response.status));
    const value = response.ok ? readAs(text) : undefined;
    if (value !== undefined) return { value };
    if (response.status === 401 && !isOpen) this.options.onUnauthorized();
    return { problem: refusalOf(response, parsed(text)) };
  }
}

function asJson<T>(text: string): T | undefined {
  return parsed(text) as T | undefined;
}

function noAnswer(kind: 'away' | 'left'): Problem {
  return { kind, status: 0, code: 0, message: '', fields: [], retrySeconds: 0 };
}

/** What the service says is wrong (base/api/errors.ts); what stands between us may say it in another form. */
function refusalOf({ status, headers }: Response, value: unknown): Problem {
  const errors = (value as { errors?: Partial<Problem> } | undefined)?.errors ?? {};
  const { code = 0, message = '', fields = [] } = errors;
  const retrySeconds = Number(headers.get('retry-after') ?? 0) || 0;
  return { kind: 'refused', status, code, message, fields, retrySeconds };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
