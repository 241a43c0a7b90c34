// The calls a day: exact under concurrency, over nodes, restarts and every kind of midnight.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { startBucketStore } from '../../../test/support/bucket-store.ts';
import { type Engine, engines, temporaryFolder } from '../../../test/support/engines.ts';
import { expectError, startBeside } from '../../../test/support/scenarios.ts';
import { startTestService, type TestService } from '../../../test/support/service.ts';

const hourMs = 3_600_000;
const usedUp = { status: 429, code: 429001 };

/** Days of each length, from their first instant to the next day's. */
const days = [
  { day: 'an ordinary day', zone: 'UTC', from: '2026-05-04T00:00Z', hours: 24 },
  {
    day: 'an ordinary day far from Greenwich',
    zone: 'Asia/Shanghai',
    from: '2026-05-03T16:00Z',
    hours: 24,
  },
  { day: 'a day of 23 hours', zone: 'Europe/Berlin', from: '2026-03-28T23:00Z', hours: 23 },
  { day: 'a day of 25 hours', zone: 'Europe/Berlin', from: '2026-10-24T22:00Z', hours: 25 },
  {
    day: 'the day before a skipped midnight',
    zone: 'America/Sao_Paulo',
    from: '2018-11-03T03:00Z',
    hours: 24,
  },
  {
    day: 'a day that starts at 01:00',
    zone: 'America/Sao_Paulo',
    from: '2018-11-04T03:00Z',
    hours: 23,
  },
  {
    day: 'a Friday that starts at 01:00',
    zone: 'Africa/Cairo',
    from: '2024-04-25T22:00Z',
    hours: 23,
  },
  {
    day: 'a day whose last hour comes twice',
    zone: 'America/Sao_Paulo',
    from: '2018-02-17T02:00Z',
    hours: 25,
  },
];

/** What a call may be refused for; none of it counts. */
const failing = [
  { why: 'a bad field', send: { perPage: 101 }, status: 400 },
  { why: 'broken JSON', send: '{', status: 400 },
  {
    why: 'a period that ends before it starts',
    send: { start_time: '2026-05-02 00:00', end_time: '2026-05-01 00:00' },
    status: 400,
  },
  {
    why: 'another type of body',
    send: '{}',
    headers: { 'content-type': 'text/plain' },
    status: 415,
  },
  { why: 'an unknown channel', channel: 99_999, status: 404 },
  { why: 'a channel id that is no number', channel: 'abc', status: 404 },
  { why: 'no token', token: null, status: 401 },
  { why: 'another method', method: 'PUT', status: 405 },
];

for (const engine of engines) {
  describe(`calls a day on ${engine.name}`, () => {
    let service: TestService;
    let noon: number;
    /** Of an account of its own, so that every test starts with a day's calls. */
    let caller: Caller;
    beforeAll(async () => {
      service = await startTestService(engine);
      noon = service.clock.now;
    });
    afterAll(() => service.stop());
    beforeEach(async () => {
      service.clock.now = noon;
      caller = await newCaller(service);
    });

    test('of 100 calls at once exactly 10 succeed and 90 are told when to come back', async () => {
      const replies = await Promise.all(Array.from({ length: 100 }, () => ask(caller)));
      const served = replies.filter(({ status }) => status === 200);
      expect(served).toHaveLength(10);
      const left = served.map(({ headers }) => headers.get('ratelimit')).sort();
      expect(left).toEqual(Array.from({ length: 10 }, (_, r) => `"daily";r=${r};t=43200`));
      for (const reply of replies.filter(({ status }) => status !== 200)) {
        expectError(reply, usedUp);
        expect(reply.headers.get('retry-after')).toBe('43200');
        expect(reply.headers.get('ratelimit')).toBe('"daily";r=0;t=43200');
      }
      for (const { headers } of replies)
        expect(headers.get('ratelimit-policy')).toBe('"daily";q=10;w=86400');
    });

    test('calls one after another succeed ten times and count down', async () => {
      for (let left = 9; left >= 0; left--) {
        const { status, headers } = await ask(caller);
        expect(status).toBe(200);
        expect(headers.get('ratelimit')).toBe(`"daily";r=${left};t=43200`);
      }
      expectError(await ask(caller), usedUp);
    });

    test('the count is the account’s, over all its channels, tokens and managers', async () => {
      const { account_id } = caller;
      const manager_id = await service.newManager('anna', account_id);
      const managers = await service.newToken({ account_id, manager_id });
      const channel = await newChannel(service, managers);
      const second = { ...caller, channel, token: await service.newToken({ account_id }) };
      const third = { ...caller, channel, token: managers };
      await askTimes(caller, 4);
      await askTimes(second, 3);
      await askTimes(third, 3);
      for (const one of [caller, second, third]) expectError(await ask(one), usedUp);
    });

    test('one account’s calls leave another’s alone', async () => {
      await useUp(caller);
      await useUp(await newCaller(service));
    });

    test('visitors are not limited', async () => {
      await useUp(caller);
      const { token } = caller;
      for (let call = 0; call < 11; call++) {
        const path = `/v1/activities/${caller.channel}/visitors`;
        const { status, headers } = await service.call('POST', path, { token });
        expect(status).toBe(200);
        expect(headers.has('ratelimit')).toBeFalse();
      }
    });

    test('calls that fail do not count', async () => {
      for (const { why, method = 'POST', send, status, ...asked } of failing) {
        const path = `/v1/activities/${asked.channel ?? caller.channel}/userRecords`;
        for (let call = 0; call < 11; call++) {
          const reply = await service.call(method, path, {
            token: asked.token === undefined ? caller.token : asked.token,
            ...(send !== undefined && { body: send }),
            ...(asked.headers && { headers: asked.headers }),
          });
          expect({ why, status: reply.status }).toEqual({ why, status });
        }
      }
      await useUp(caller);
    });

    test('a mistake is told as such also when the day’s calls are used up', async () => {
      await useUp(caller);
      const { token, channel } = caller;
      expectError(await ask({ ...caller, channel: 99_999 }), { status: 404, code: 404002 });
      const path = `/v1/activities/${channel}/userRecords`;
      const reply = await service.call('POST', path, { token, body: { perPage: 101 } });
      expectError(reply, { status: 400, code: 400001, fields: ['perPage'] });
    });

    test('a clock that jumps an hour at noon neither doubles nor locks', async () => {
      await askTimes(caller, 5);
      service.clock.now = noon + hourMs;
      await askTimes(caller, 3);
      service.clock.now = noon - hourMs;
      await askTimes(caller, 2);
      for (const at of [noon - hourMs, noon, noon + hourMs]) {
        service.clock.now = at;
        expectError(await ask(caller), usedUp);
      }
    });

    test('a clock that jumps over midnight and back finds both days’ counts again', async () => {
      const evening = Date.UTC(2026, 4, 4, 23, 30);
      service.clock.now = evening;
      await useUp(caller);
      service.clock.now = evening + hourMs;
      await askTimes(caller, 4);
      service.clock.now = evening;
      expectError(await ask(caller), usedUp);
      service.clock.now = evening + hourMs;
      await askTimes(caller, 6);
      expectError(await ask(caller), usedUp);
      service.clock.now = evening + 25 * hourMs;
      await useUp(caller);
    });

    for (const [zone, ofZone] of Map.groupBy(days, (one) => one.zone))
      describe(`in ${zone}`, () => {
        let there: TestService;
        beforeAll(async () => {
          there = await startTestService(engine, { settings: { TIME_ZONE: zone } });
        });
        afterAll(() => there.stop());

        for (const { day, from, hours } of ofZone)
          test(`on ${day} the count starts again after ${hours} hours`, async () => {
            const startsAt = Date.parse(from);
            const endsAt = startsAt + hours * hourMs;
            const local = await newCaller(there);
            there.clock.now = startsAt - 1;
            await useUp(local);
            there.clock.now = startsAt;
            const first = await ask(local);
            expect(first.headers.get('ratelimit')).toBe(`"daily";r=9;t=${hours * 3_600}`);
            await askTimes(local, 9);
            for (const at of [startsAt, startsAt + 2 * hourMs, endsAt - hourMs, endsAt - 1]) {
              there.clock.now = at;
              const reply = await ask(local);
              expectError(reply, usedUp);
              const seconds = Math.ceil((endsAt - at) / 1000);
              expect(reply.headers.get('retry-after')).toBe(String(seconds));
            }
            there.clock.now = endsAt;
            await useUp(local);
          });
      });

    test('the count survives a restart', async () => {
      const before = await startTestService(engine);
      const first = await newCaller(before);
      await askTimes(first, 7);
      await before.stop();
      const after = await startBeside(engine, before);
      const again = { ...first, service: after };
      await askTimes(again, 3);
      expectError(await ask(again), usedUp);
      await after.stop();
    });

    test('RECORDS_CALLS_PER_DAY sets the number', async () => {
      const settings = { RECORDS_CALLS_PER_DAY: '2' };
      const strict = await startTestService(engine, { settings });
      const one = await newCaller(strict);
      const first = await ask(one);
      expect(first.headers.get('ratelimit-policy')).toBe('"daily";q=2;w=86400');
      await askTimes(one, 1);
      expectError(await ask(one), usedUp);
      await strict.stop();
    });

    test('RECORDS_CALLS_PER_DAY=0 means no limit and no headers of one', async () => {
      const settings = { RECORDS_CALLS_PER_DAY: '0' };
      const open = await startTestService(engine, { settings });
      const one = await newCaller(open);
      const replies = await Promise.all(Array.from({ length: 30 }, () => ask(one)));
      for (const { status, headers } of replies) {
        expect(status).toBe(200);
        expect(headers.has('ratelimit')).toBeFalse();
        expect(headers.has('ratelimit-policy')).toBeFalse();
      }
      await open.stop();
    });
  });
}

describe('calls a day on two nodes', () => {
  test('of 100 calls at once, half of them at either node, exactly 10 succeed', async () => {
    const engine = engines.find(({ name }) => name === 'postgres') as Engine;
    const bucketStore = await startBucketStore();
    const service = await startTestService(engine, { settings: bucketStore.environment });
    const settings = { DATA_DIR: temporaryFolder() };
    const other = await startBeside(engine, service, { settings });
    const caller = await newCaller(service);
    const replies = await Promise.all(
      Array.from({ length: 100 }, (_, at) =>
        ask({ ...caller, service: at % 2 === 0 ? service : other }),
      ),
    );
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(10);
    for (const reply of replies.filter(({ status }) => status !== 200)) expectError(reply, usedUp);
    await other.stop();
    await service.stop();
    await bucketStore.stop();
  });
});

interface Caller {
  service: TestService;
  account_id: number;
  token: string;
  channel: number;
}

async function newCaller(service: TestService): Promise<Caller> {
  const account_id = await service.newAccount();
  const token = await service.newToken({ account_id });
  return { service, account_id, token, channel: await newChannel(service, token) };
}

async function newChannel(service: TestService, token: string): Promise<number> {
  return (await service.call('POST', '/v1/activities', { token, body: { name: 'a' } })).body.id;
}

function ask({ service, channel, token }: Caller) {
  return service.call('POST', `/v1/activities/${channel}/userRecords`, { token });
}

/** Calls that must all succeed. */
async function askTimes(caller: Caller, times: number): Promise<void> {
  const statuses: number[] = [];
  for (let call = 0; call < times; call++) statuses.push((await ask(caller)).status);
  expect(statuses).toEqual(Array.from({ length: times }, () => 200));
}

/** All of a day's calls, and one too many. */
async function useUp(caller: Caller): Promise<void> {
  await askTimes(caller, 10);
  expectError(await ask(caller), usedUp);
}
