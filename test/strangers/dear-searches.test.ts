// The dearest searches of an account with many videos: another account's calls do not wait for their end.
import { afterAll, expect, test } from 'bun:test';
import { addVideos } from '../../src/library/videos/video-store.ts';
import { attack, commonName, dearLists } from '../support/attacks/dear-searches.ts';
import { untilThen } from '../support/rude/rude-sockets.ts';
import { plainVideo } from '../support/store.ts';
import { startAttackedService } from './attacked-service.ts';

const { service, target } = await startAttackedService({
  RECORDS_CALLS_PER_DAY: '0',
  // On a busy machine the last of many answers is made later than a connection may be idle.
  HTTP_IDLE_SECONDS: '240',
});
afterAll(() => service.stop());
const { token, show } = target;
const [{ id: channel_id = 0 } = {}] = target.channels;
const { account_id = 0 } =
  (await service.store.one<{ account_id: number }>(
    'SELECT account_id FROM channels WHERE id = $1',
    [channel_id],
  )) ?? {};

/** More than one step, and more candidates than the title index is asked for. */
const videos = 22_000;
const batch = 1_000;
for (let from = 0; from < videos; from += batch) {
  const added = Array.from({ length: batch }, (_, at) =>
    plainVideo({ external_id: `${from + at}`, channel_id, name: commonName(from + at) }),
  );
  await service.store.perform(addVideos, { account_id, videos: added });
}

/** What the other account asks for while it lasts: a search, a far page, visitors. */
async function honestCalls(): Promise<number[]> {
  const calls = [
    service.call('GET', '/v1/videos?title=abc'),
    service.call('GET', '/v1/activities?p=200'),
    service.call('POST', `/v1/activities/${show.id}/visitors`, { body: {} }),
  ];
  return (await Promise.all(calls)).map(({ status }) => status);
}

test("another account's calls are answered before the rest of those that came first", async () => {
  let answered = 0;
  const first = Promise.withResolvers<void>();
  const asked = Array.from({ length: 60 }, async (_, at) => {
    const list = dearLists[at % dearLists.length] ?? '';
    const { status } = await service.call('GET', `/v1/videos?${list}&x=${at}`, { token });
    answered += 1;
    first.resolve();
    return status;
  });
  await first.promise;
  expect(await honestCalls()).toEqual([200, 200, 200]);
  expect(answered).toBeLessThan(asked.length / 2);
  // On a busy machine the last of them may be too late, behind their own.
  for (const status of await Promise.all(asked)) expect([200, 503]).toContain(status);
});

test('while it is attacked, the service answers the others', async () => {
  const ending = new AbortController();
  const done = attack
    .run(target, { from: '127.0.42.1', signal: ending.signal })
    .then(() => ending.abort());
  await untilThen(ending.signal, async () => {
    expect(await honestCalls()).toEqual([200, 200, 200]);
  });
  await done;
});

test.each(dearLists)('the answer to %s is exact', async (list) => {
  const { body } = await service.call('GET', `/v1/videos?${list}`, { token });
  const title = new URLSearchParams(list).get('title') ?? '';
  const names = Array.from({ length: videos }, (_, at) => commonName(at));
  expect(body.meta.total).toBe(names.filter((name) => name.includes(title)).length);
});
