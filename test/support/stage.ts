// A channel on air in a whole service, viewers in front of it, and what the interface says of them.
import { expect } from 'bun:test';
import type { Welcome } from '../../src/audience/protocol/messages.ts';
import { importSessions } from '../../src/audience/records/session-import.ts';
import { importOperations } from '../../src/audience/records/session-import-store.ts';
import type { Ticket } from '../../src/audience/viewers/ticket.ts';
import { openCommandStore } from '../../src/base/db/store.ts';
import { Zone } from '../../src/base/lib/time.ts';
import { operations } from '../../src/operations.ts';
import { type ClipPush, startClipPush, testClip } from './clip-push.ts';
import type { Engine } from './engines.ts';
import { isLive, newLiveChannel, until } from './live-channel.ts';
import { TestPage, ticketsOf } from './page.ts';
import { type Json, startTestService, type TestService } from './service.ts';

const settings = { MIN_FREE_DISK: '10M', RECORDS_CALLS_PER_DAY: '0' };
/** A flush and what the machine may take for it. */
const flushedMs = 8_000;

/** A viewer's page that is in. */
export interface Entered {
  page: TestPage;
  viewer_id: string;
  welcome: Welcome;
  /** Says how long it has played, and waits until that was heard. */
  report(played_ms: number): Promise<void>;
}

export interface EnterOptions {
  ticket?: Partial<Ticket>;
  instance?: string;
  resume?: string;
}

/**
 * The clock stands still unless a test lets time pass, so every sum is exact. With a service that has
 * stopped, another goes on with its database and its clock, on air with a channel of its own.
 */
export async function startStage(engine: Engine, stopped?: TestService): Promise<Stage> {
  const service = await startTestService(engine, {
    settings: { ...settings, ...stopped?.settings },
    ...(stopped && { clock: stopped.clock }),
  });
  const channel = await newLiveChannel(service);
  const push = await startClipPush(channel.publishUrl, testClip());
  await until(() => isLive(service, channel.id), { withinMs: 5_000, otherwise: 'it is not live' });
  return new Stage(service, { channel_id: channel.id, push, sign: await ticketsOf(service) });
}

export class Stage {
  readonly service: TestService;
  readonly channel_id: number;
  readonly push: ClipPush;
  readonly sign: Awaited<ReturnType<typeof ticketsOf>>;

  constructor(service: TestService, given: Pick<Stage, 'channel_id' | 'push' | 'sign'>) {
    this.service = service;
    this.channel_id = given.channel_id;
    this.push = given.push;
    this.sign = given.sign;
  }

  /** The same service, seen from another of its channels. */
  at(channel_id: number): Stage {
    return new Stage(this.service, { ...this, channel_id });
  }

  /** Time passes for the service. */
  pass(ms: number): void {
    this.service.clock.now += ms;
  }

  connect(options: ConstructorParameters<typeof TestPage>[1]): TestPage {
    return new TestPage(this.service.url, options);
  }

  async enter(viewer_id: string, { ticket, ...claim }: EnterOptions = {}): Promise<Entered> {
    const signed = this.sign(this.channel_id, { viewer_id, ...ticket });
    const page = this.connect({ ticket: signed, ...claim });
    const welcome = await page.welcome();
    const report = async (played_ms: number) => {
      page.say({ type: 'report', played_ms });
      await page.heard();
    };
    return { page, viewer_id, welcome, report };
  }

  /** Waits until the viewer's records are as wanted, the newest first; all of them are given back. */
  recorded(viewer_id: string, wanted: readonly object[]): Promise<Json[]> {
    return eventually(async () => {
      const path = `/v1/activities/${this.channel_id}/userRecords`;
      const body = { filter_watch_time: 0, perPage: 100 };
      const reply = await this.service.call('POST', path, { body });
      return reply.body.filter((record: Json) => record.user_id === viewer_id);
    }, wanted);
  }

  /** Waits until the visitor is as wanted. */
  visited(visitor_id: string, wanted: object): Promise<Json> {
    return eventually(async () => {
      const path = `/v1/activities/${this.channel_id}/visitors`;
      const { body } = await this.service.call('POST', path, { body: { perPage: 100 } });
      return body.find((visitor: Json) => visitor.visitor_id === visitor_id);
    }, wanted);
  }

  /** Brings a session that is older than all others, so that every row gets another number. */
  async importOlder(user_id: string): Promise<void> {
    const { DATA_DIR = '', DATABASE_URL = '' } = this.service.settings;
    const store = await openCommandStore(
      { dataDir: DATA_DIR, databaseUrl: DATABASE_URL, deadlineMs: 10_000, connectionsMax: 1 },
      [...operations, ...importOperations],
    );
    const value = {
      record_id: '1',
      user_id,
      first_login_time: '2020-01-01 00:00:00',
      watch_time: '00:05:00',
    };
    const lines = [{ number: 1, value, problem: undefined }];
    const report = await importSessions(store, {
      channel_id: this.channel_id,
      zone: new Zone('UTC'),
      now: Date.now(),
      batches: (async function* () {
        yield lines;
      })(),
      onBad: (line, problem) => {
        throw new Error(`line ${line}: ${problem}`);
      },
      onProgress: () => {},
    });
    await store.close();
    expect(report.added).toBe(1);
  }

  async end(): Promise<void> {
    await this.push.end();
    await this.service.stop();
  }
}

/** What is flushed is asked for, not announced. The last look fails the test with what it saw. */
async function eventually(read: () => Promise<Json>, wanted: unknown): Promise<Json> {
  const isAsWanted = async () => {
    try {
      expect(await read()).toMatchObject(wanted as object);
      return true;
    } catch {
      return false;
    }
  };
  await until(isAsWanted, { withinMs: flushedMs, otherwise: '' }).catch(() => {});
  const seen = await read();
  expect(seen).toMatchObject(wanted as object);
  if (Array.isArray(wanted)) expect(seen).toHaveLength(wanted.length);
  return seen;
}
