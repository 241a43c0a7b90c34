// A publisher that begins push after push: few become videos, and nobody else's jobs wait for them.
import { afterEach, expect, test } from 'bun:test';
import { attack } from '../support/attacks/publish-loop.ts';
import { testClip } from '../support/clip-push.ts';
import { until } from '../support/live-channel.ts';
import { pushInLoop, secondOf } from '../support/rude/push-loop.ts';
import { type AttackedService, startAttackedService } from './attacked-service.ts';

const [from, signal] = ['127.0.0.2', new AbortController().signal];
const tags = secondOf(testClip().tags);

let attacked: AttackedService;
afterEach(() => attacked.service.stop());

test('a channel begins as many pushes as it may, and is told when to try again', async () => {
  attacked = await startAttackedService({ PUSHES_PER_MINUTE: '5' });
  const { target, service, key } = attacked;
  const given = { port: target.rtmpPort, key, from, signal, tags };
  const { begun, heard } = await pushInLoop({ ...given, pushes: 300 });
  expect(begun).toBe(5);
  expect(heard).toMatch(/may begin 5 pushes a minute; try again in \d+ s/);
  expect(await attacked.refused('push', 'often')).toBe(1);
  // Refused again and again, and never banned: another channel of the same network begins at once.
  const next = target.channels[1]?.stream_key ?? '';
  for (let tries = 0; tries < 5; tries += 1) await pushInLoop({ ...given, pushes: 1 });
  expect(await pushInLoop({ ...given, key: next, pushes: 1 })).toMatchObject({ begun: 1 });
  const rows = await service.store.all('SELECT id FROM videos');
  expect(rows.length).toBeLessThanOrEqual(6);
});

test('an account begins as many as it may, on whichever of its channels, and nobody else waits', async () => {
  attacked = await startAttackedService({ ACCOUNT_PUSHES_PER_MINUTE: '4' });
  const { target, key, honestKey } = attacked;
  const given = { port: target.rtmpPort, from, signal, tags };
  expect(await pushInLoop({ ...given, key, pushes: 3 })).toMatchObject({ begun: 3 });
  const next = target.channels[1]?.stream_key ?? '';
  const { begun, heard } = await pushInLoop({ ...given, key: next, pushes: 300 });
  expect(begun).toBe(1);
  expect(heard).toMatch(/This account may begin 4 pushes a minute; try again in \d+ s/);
  expect(await attacked.refused('push', 'account_often')).toBe(1);
  expect(await pushInLoop({ ...given, key: honestKey, pushes: 1 })).toMatchObject({ begun: 1 });
});

test('the attack moves the count that it names', async () => {
  attacked = await startAttackedService({ PUSHES_PER_MINUTE: '2' });
  const ending = new AbortController();
  const running = attack.run(attacked.target, { from, signal: ending.signal });
  await until(async () => (await attacked.refused('push', 'often')) > 0, {
    withinMs: 30_000,
    otherwise: 'nothing was refused',
  });
  ending.abort();
  await running;
});

test("another account's job waits for the running one alone", async () => {
  attacked = await startAttackedService({ PUSHES_PER_MINUTE: '10000' });
  const { target, service, key, honestKey } = attacked;
  const given = { port: target.rtmpPort, from, signal, tags };
  expect(await pushInLoop({ ...given, key, pushes: 30 })).toMatchObject({ begun: 30 });
  await until(async () => (await videosOf(2)).length === 30, {
    withinMs: 60_000,
    otherwise: 'the pushes did not become videos',
  });
  await pushInLoop({ ...given, key: honestKey, from: '127.0.0.1', pushes: 1 });
  const begunOf = (id: number) =>
    lines().findIndex(({ message, video }) => message === 'job begun' && video === id);
  await until(async () => (await videosOf(1)).length === 1, {
    withinMs: 60_000,
    otherwise: 'the honest push did not become a video',
  });
  const [honest = { id: 0 }] = await videosOf(1);
  await until(() => begunOf(honest.id) >= 0, { withinMs: 60_000, otherwise: 'its job waits' });
  const madeAt = lines().findIndex(
    ({ message, video_id }) => message === 'a push has become a video' && video_id === honest.id,
  );
  expect(madeAt).toBeGreaterThan(0);
  // The order of the log is the order of events: one may have been begun as the video was made.
  const between = lines().slice(madeAt, begunOf(honest.id));
  expect(between.filter(({ message }) => message === 'job begun').length).toBeLessThanOrEqual(1);
  const [waiting] = await service.store.all<{ n: number }>(
    "SELECT COUNT(*) AS n FROM jobs WHERE account_id = 2 AND state = 'waiting'",
  );
  expect(waiting?.n).toBeGreaterThan(0);

  function videosOf(account_id: number) {
    return service.store.all<{ id: number }>('SELECT id FROM videos WHERE account_id = $1', [
      account_id,
    ]);
  }
  function lines(): { message: string; video?: number; video_id?: number }[] {
    return service.logLines.map((line) => JSON.parse(line));
  }
});
