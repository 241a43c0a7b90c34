// Clients that create, rename and change pages at once and keep a ledger of what they were told.

import { type Aspect, type Ending, type Ledger, pageValue } from '../../test/support/ledger.ts';
import type { Random } from '../../test/support/random.ts';
import { type Answer, HttpConnection, NoAnswer } from '../../test/support/rude/http-connection.ts';

export interface WritersOptions {
  url: string;
  token: string;
  ledger: Ledger;
  random: Random;
  /** Starts every name and key, so that no two rounds meet. */
  tag: string;
  /** A channel that all of them change at once, each its own field. */
  sharedId: number;
  /** A refused create is sent again with its key until it is acknowledged. */
  repeats?: boolean;
}

export interface Writers {
  /** Resolves at the next write that ends so; rejects where the writers end before. */
  next(ending: Ending): Promise<void>;
  /** Resolves when every writer has ended: its connection did, or `stop` was called. */
  ended: Promise<void>;
  stop(): Promise<void>;
}

/** One field of the shared page for each writer. */
const sharedFields = [
  'pc_logo',
  'mobile_logo',
  'banner',
  'cover_image',
  'live_img',
  'footer',
] as const;

/** The fields of a writer's own pages that change together. */
const ownFields: Aspect = 'page:footer,pc_logo,banner';

export function startWriters(options: WritersOptions): Writers {
  const waiting = new Map<Ending, PromiseWithResolvers<void>>();
  let stopped = false;
  const onEnding = (ending: Ending) => {
    waiting.get(ending)?.resolve();
    waiting.delete(ending);
  };
  const ended = Promise.all(
    sharedFields.map((field, at) =>
      new Writer(options, field, `${options.tag}-${at}`).run({
        isStopped: () => stopped,
        onEnding,
      }),
    ),
  ).then(() => {});
  const outlived = ended.then(() => {
    throw new Error('the writers ended before');
  });
  outlived.catch(() => {});
  return {
    next: (ending) => {
      const next = waiting.get(ending) ?? Promise.withResolvers<void>();
      waiting.set(ending, next);
      return Promise.race([next.promise, outlived]);
    },
    ended,
    stop: async () => {
      stopped = true;
      await ended;
    },
  };
}

/** The channel that all writers share. */
export async function createShared(
  connection: HttpConnection,
  { token, ledger, tag }: Pick<WritersOptions, 'token' | 'ledger' | 'tag'>,
): Promise<number> {
  const name = `${tag}-shared`;
  const answer = await connection.request('POST', '/v1/activities', { token, body: { name } });
  if (answer.status !== 200) throw new Error(`the shared channel was not made: ${answer.text}`);
  ledger.created(name, 'acknowledged', answer.body.id);
  return answer.body.id;
}

/** How an answer ends a write; throws on one that no fault of the database or the disk excuses. */
export function endingOf(answer: Answer): Ending {
  if (answer.status === 200) return 'acknowledged';
  const { code } = answer.body?.errors ?? {};
  if (answer.status !== 503 || code !== 503001 || !(Number(answer.headers['retry-after']) > 0))
    throw new Error(`a write was answered ${answer.status}: ${answer.text}`);
  return 'refused';
}

/** One client: one write after another on one connection. */
class Writer {
  private readonly options: WritersOptions;
  private readonly sharedField: string;
  private readonly tag: string;

  private readonly own: number[] = [];
  private writes = 0;
  /** The name of a create that is to be sent again. */
  private repeated: string | undefined;

  constructor(options: WritersOptions, sharedField: string, tag: string) {
    this.options = options;
    this.sharedField = sharedField;
    this.tag = tag;
  }

  async run(given: { isStopped(): boolean; onEnding(ending: Ending): void }): Promise<void> {
    const connection = await HttpConnection.open(this.options.url);
    try {
      while (!given.isStopped()) {
        const ending = await this.write(connection);
        given.onEnding(ending);
        if (ending === 'unanswered') return;
      }
    } finally {
      connection.close();
    }
  }

  private async write(connection: HttpConnection): Promise<Ending> {
    const { random, sharedId } = this.options;
    if (this.repeated !== undefined) return await this.create(connection, this.repeated);
    this.writes += 1;
    const text = `${this.tag}-${this.writes}`;
    const id = this.own.length === 0 ? undefined : random.pick(this.own);
    const action =
      id === undefined ? 'create' : random.pick(['create', 'rename', 'page', 'shared']);
    if (action === 'create' || id === undefined) return await this.create(connection, text);
    if (action === 'shared') {
      const change = { [this.sharedField]: `/${text}` };
      return await this.changePage(connection, sharedId, `page:${this.sharedField}`, change);
    }
    if (action === 'page') {
      const change = { footer: text, pc_logo: `/${text}`, banner: `/${text}` };
      return await this.changePage(connection, id, ownFields, change);
    }
    const path = `/v1/activities/${id}`;
    const { ending } = await this.ask(connection, 'PUT', path, { name: text });
    this.options.ledger.changed(id, 'name', text, ending);
    return ending;
  }

  private async create(connection: HttpConnection, name: string): Promise<Ending> {
    const { ending, answer } = await this.ask(connection, 'POST', '/v1/activities', { name });
    const id = ending === 'acknowledged' ? answer?.body.id : undefined;
    this.options.ledger.created(name, ending, id);
    if (id !== undefined) this.own.push(id);
    this.repeated = this.options.repeats && ending === 'refused' ? name : undefined;
    return ending;
  }

  private async changePage(
    connection: HttpConnection,
    id: number,
    aspect: Aspect,
    change: Record<string, string>,
  ): Promise<Ending> {
    const { ending } = await this.ask(connection, 'PUT', `/v1/activities/${id}/page`, change);
    this.options.ledger.changed(id, aspect, pageValue(change, aspect), ending);
    return ending;
  }

  /** Creates carry their name as Idempotency-Key, so that one in doubt can be repeated. */
  private async ask(
    connection: HttpConnection,
    method: string,
    path: string,
    body: Record<string, string>,
  ): Promise<{ ending: Ending; answer?: Answer }> {
    const { token } = this.options;
    const headers = method === 'POST' ? { 'idempotency-key': body['name'] ?? '' } : {};
    try {
      const answer = await connection.request(method, path, { token, body, headers });
      return { ending: endingOf(answer), answer };
    } catch (error) {
      if (error instanceof NoAnswer) return { ending: 'unanswered' };
      throw error;
    }
  }
}

/** Repeats creates in doubt with their keys, as a careful client does: each must end as one channel. */
export async function repeatDoubtful(
  connection: HttpConnection,
  { token, ledger }: Pick<WritersOptions, 'token' | 'ledger'>,
): Promise<void> {
  for (const name of ledger.doubtfulNames()) {
    const headers = { 'idempotency-key': name };
    const asked = { token, body: { name }, headers };
    const answer = await connection.request('POST', '/v1/activities', asked);
    if (answer.status !== 200) throw new Error(`a repeated create was answered ${answer.text}`);
    ledger.created(name, 'acknowledged', answer.body.id);
  }
}
