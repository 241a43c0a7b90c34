// One viewer with many connections: ten have sessions at once, and the visitor has the wall's time.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { attack } from '../support/attacks/many-sockets.ts';
import { engines } from '../support/engines.ts';
import { until } from '../support/live-channel.ts';
import { newTicket, RudePage } from '../support/rude/rude-page.ts';
import { type Stage, startStage } from '../support/stage.ts';
import { refusalsOf, rudeAddress, suffer } from '../support/strangers.ts';

const second = 1_000;

let stage: Stage;
beforeAll(async () => {
  const [sqlite] = engines;
  if (!sqlite) throw new Error('no engine');
  stage = await startStage(sqlite);
});
afterAll(() => stage.end());

test('twenty connections of one viewer have ten sessions at once, and their sums are no more', async () => {
  const honest = await stage.enter('honest');
  const way = { port: Number(new URL(stage.service.url).port), from: rudeAddress };
  const ticket = await newTicket(way, stage.channel_id);
  const pages: RudePage[] = [];
  for (let n = 0; n < 20; n += 1) {
    const page = await RudePage.open(way);
    page.hello(ticket);
    expect(await page.first('welcome')).toBeDefined();
    pages.push(page);
    stage.pass(second);
  }
  const codes = await Promise.all(pages.slice(0, 10).map(({ closed }) => closed));
  expect(codes).toEqual(Array(10).fill(4005));
  for (let n = 0; n < 3; n += 1) {
    stage.pass(10 * second);
    for (const page of pages) {
      page.say({ type: 'report', played_ms: 10 * second });
      await page.heard();
    }
    await honest.report(10 * second);
  }
  for (const page of pages) page.end();
  // The first ten were there until the next ten came, a second apart from each other.
  const first = { online_ms: 10 * second, watch_ms: 0 };
  const wanted = pages.map((_, n) =>
    n < 10 ? first : { online_ms: (50 - n) * second, watch_ms: 30 * second },
  );
  const viewer_id = viewerOf(ticket);
  await until(async () => Bun.deepEquals(await sums(viewer_id), wanted), {
    withinMs: 10_000,
    otherwise: 'the records are others',
  }).catch(() => {});
  const rows = await sums(viewer_id);
  expect(rows).toEqual(wanted);
  // In 50 seconds: ten at once, never more.
  const onlineMs = rows.reduce((sum, { online_ms }) => sum + online_ms, 0);
  expect(onlineMs).toBeLessThanOrEqual(10 * 50 * second);
  const visitor = await stage.service.store.one<{ watch_ms: number }>(
    'SELECT watch_ms FROM visitors WHERE viewer_id = $1',
    [viewer_id],
  );
  expect(visitor?.watch_ms).toBe(30 * second);
  await stage.recorded('honest', [{ online_time: '00:00:50', watch_time: '00:00:30' }]);
  expect(await refusalsOf(stage.service)).toMatchObject({ 'page sessions': 10 });
});

test('the attack is counted, and leaves others alone', async () => {
  const honest = await stage.enter('honest-too');
  const before = (await refusalsOf(stage.service))['page sessions'] ?? 0;
  await suffer(stage.service, attack, stage.channel_id);
  expect((await refusalsOf(stage.service))['page sessions']).toBeGreaterThan(before);
  await honest.report(0);
});

async function sums(viewer_id: string) {
  const rows = await stage.service.store.all<{ online_ms: number; watch_ms: number }>(
    'SELECT online_ms, watch_ms FROM sessions WHERE viewer_id = $1 ORDER BY seq',
    [viewer_id],
  );
  return rows.map((row) => ({ ...row }));
}

/** Whom the ticket is for. */
function viewerOf(ticket: string): string {
  const [, payload = ''] = ticket.split('.');
  return JSON.parse(Buffer.from(payload, 'base64url').toString())[1];
}
