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

export interface ApiOptions {
  fetch(path: string, init: RequestInit): Promise<Response>;
  /** After each try: whether the service could be reached. */
  onReach(isReached: boolean): void;
  /** Nobody is signed in, or not any more. */
  onUnauthorized(): void;
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

  /** What is answered as lines, to be kept as a file. */
  file(path: string, body: object): Promise<Reply<Blob>> {
    return this.read<Blob>('POST', path, { body, readAs: (text) => new Blob([text]) });
  }

  ask<T>(method: Method, path: string, ask: Ask = {}): Promise<Reply<T>> {
    return this.read<T>(method, path, { ...ask, readAs: (text) => parsed(text) as T | undefined });
  }

  private async read<T>(
    method: Method,
    path: string,
    ask: Ask & { readAs(text: string): T | undefined },
  ): Promise<Reply<T>> {
    const { body, signal, isOpen = false, readAs } = ask;
    let response: Response;
    let text: string;
    try {
      response = await this.options.fetch(path, {
        method,
        credentials: 'same-origin',
        headers: body ? { 'content-type': 'application/json' } : {},
        ...(body && { body: JSON.stringify(body) }),
        ...(signal && { signal }),
      });
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
