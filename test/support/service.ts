// The whole service inside the test process, on loopback, with a clock of the test's own and every answer checked.
import type { RoundTimes } from '../../src/audience/protocol/page-limits.ts';
import type { Scope } from '../../src/base/api/caller.ts';
import type { AnyRoute } from '../../src/base/api/route.ts';
import type { Store } from '../../src/base/db/sql.ts';
import { startLog } from '../../src/base/lib/log.ts';
import { readConfig } from '../../src/config.ts';
import { createAccount } from '../../src/library/access/account-store.ts';
import { createManager } from '../../src/library/access/manager-store.ts';
import { usualScopes } from '../../src/library/access/token.ts';
import { createToken } from '../../src/library/access/token-store.ts';
import type { PasswordHash } from '../../src/library/people/sign-in-limits.ts';
import { startService } from '../../src/main.ts';
import { checkAnswer } from './contract.ts';
import type { Engine } from './engines.ts';
import { patientSettings } from './patient-settings.ts';

export interface Reply {
  status: number;
  // Tests look into answers of every shape; the contract check has judged them already.
  body: Json;
  headers: Headers;
  text: string;
}

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape are looked into
export type Json = any;

export interface CallOptions {
  /** Undefined: the first account's token; null: none. */
  token?: string | null;
  body?: unknown;
  headers?: Record<string, string>;
}

export interface TestService {
  url: string;
  rtmpPort: number;
  /** The first account's token, with every scope. */
  token: string;
  store: Store;
  routes: readonly AnyRoute[];
  /** Where something is answered besides. */
  paths: readonly string[];
  clock: { now: number };
  logLines: string[];
  /** What a second service on the same database is started with. */
  settings: Record<string, string>;
  call(method: string, path: string, options?: CallOptions): Promise<Reply>;
  newToken(
    order?: Partial<{
      account_id: number;
      manager_id: number;
      scopes: readonly Scope[];
      expires_at: number;
    }>,
  ): Promise<string>;
  newAccount(plan?: 'traffic' | 'standard'): Promise<number>;
  newManager(username: string, account_id?: number): Promise<number>;
  /** What is to be closed before the service stops. */
  beforeStop: (() => Promise<void>)[];
  stop(): Promise<void>;
}

/** A clock that goes on by itself, for tests whose media does; faster than others where a test says so. */
export interface MovingClock {
  now: number;
  rate: number;
}

export function movingClock(): MovingClock {
  let set = { at: noon, by: performance.now(), rate: 1 };
  const now = () => set.at + Math.floor((performance.now() - set.by) * set.rate);
  return {
    get now() {
      return now();
    },
    set now(at) {
      set = { ...set, at, by: performance.now() };
    },
    get rate() {
      return set.rate;
    },
    set rate(rate) {
      set = { at: now(), by: performance.now(), rate };
    },
  };
}

/** Noon of an ordinary day, so that no test meets midnight by chance. */
const noon = Date.UTC(2026, 4, 4, 12, 0, 0);

/** What is told, swept and flushed by the clock is not waited for: what it does is the same. */
const rounds = {
  tellChatEveryMs: 20,
  tellEveryMs: 50,
  lookEveryMs: 50,
  sweepEveryMs: 50,
  flushEveryMs: 50,
  endsEveryMs: 50,
};

/** A run of the service's own takes 50 ms, and hundreds of tests have somebody who signs in. */
const quickHash: PasswordHash = { algorithm: 'argon2id', memoryCost: 8, timeCost: 1 };

export async function startTestService(
  engine: Engine,
  options: {
    settings?: Record<string, string>;
    now?: number;
    clock?: { now: number };
    rounds?: Partial<RoundTimes>;
    /** Passwords are hashed as people's are. */
    hasDearPasswords?: boolean;
  } = {},
): Promise<TestService> {
  const settings = {
    ...(await engine.fresh({ mayHaveTables: true })),
    PORT: '0',
    RTMP_PORT: '0',
    HOST: '127.0.0.1',
    // There is no balancer that would have to see that it is not ready.
    DRAIN_MS: '0',
    ...patientSettings,
    ...options.settings,
  };
  const clock = options.clock ?? { now: options.now ?? noon };
  const logLines: string[] = [];
  const log = startLog('debug', {
    now: () => clock.now,
    write: (text) => {
      logLines.push(...text.trimEnd().split('\n'));
      return text.length;
    },
  });
  const service = await startService(readConfig(settings), {
    log,
    now: () => clock.now,
    rounds: { ...rounds, ...options.rounds },
    ...(!options.hasDearPasswords && { passwordHash: quickHash }),
  });
  const url = `http://127.0.0.1:${service.port}`;
  const { store, routes, paths } = service;
  const secrets: string[] = [];
  const beforeStop: TestService['beforeStop'] = [];
  const newToken: TestService['newToken'] = async (order = {}) => {
    const asked = { account_id: 1, manager_id: 0, scopes: usualScopes, expires_at: null, ...order };
    const made = await store.perform(createToken, { name: 'test', now: clock.now, ...asked });
    secrets.push(made.token);
    return made.token;
  };
  const token = service.firstToken ?? (await newToken());
  secrets.push(token);
  return {
    url,
    rtmpPort: service.rtmpPort,
    token,
    store,
    routes,
    paths,
    clock,
    logLines,
    settings,
    call: async (method, path, { token: as, body, headers } = {}) => {
      const bearer = as === undefined ? token : as;
      const response = await fetch(url + path, {
        method,
        redirect: 'manual',
        headers: {
          ...(bearer !== null && { authorization: `Bearer ${bearer}` }),
          ...(body !== undefined && { 'content-type': typeOf(body) }),
          ...headers,
        },
        ...(body !== undefined && { body: sentBody(body) }),
      });
      const text = await textOf(response);
      const reply = {
        status: response.status,
        body: parsed(text),
        headers: response.headers,
        text,
      };
      checkAnswer(routes, { method, path, reply });
      return reply;
    },
    newToken,
    newAccount: (plan = 'traffic') =>
      store.perform(createAccount, { name: 'another', plan, now: clock.now }),
    newManager: (username, account_id = 1) =>
      store.perform(createManager, { username, account_id, now: clock.now }),
    beforeStop,
    stop: async () => {
      for (const close of beforeStop.splice(0)) await close();
      const keys = await store.all<{ stream_key: string }>('SELECT stream_key FROM channels');
      secrets.push(...keys.map(({ stream_key }) => stream_key));
      await service.stop();
      const leaked = logLines.filter((line) => secrets.some((secret) => line.includes(secret)));
      if (leaked.length > 0) throw new Error(`the log holds a secret: ${leaked[0]}`);
    },
  };
}

/** Of an answer without an end, what is there at once: it ends with a mark. */
async function textOf(response: Response): Promise<string> {
  if (!response.headers.get('content-type')?.startsWith('text/event-stream'))
    return await response.text();
  let text = '';
  for await (const chunk of response.body ?? []) {
    text += new TextDecoder().decode(chunk);
    if (text.includes(': still here')) break;
  }
  return text;
}

function typeOf(body: unknown): string {
  return body instanceof Blob ? body.type : 'application/json';
}

/** A file as it is, all else as JSON. */
function sentBody(body: unknown): string | Blob {
  return typeof body === 'string' || body instanceof Blob ? body : JSON.stringify(body);
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
