// Hundreds of thousands of frames in one write: the page that sends them is cut, and little is done for it.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { attack, floods } from '../support/attacks/frame-flood.ts';
import { engines } from '../support/engines.ts';
import { notLinux } from '../support/needs.ts';
import { newTicket, RudePage } from '../support/rude/rude-page.ts';
import { type Stage, startStage } from '../support/stage.ts';
import { refusalsOf, rudeAddress, suffer } from '../support/strangers.ts';

let stage: Stage;
beforeAll(async () => {
  const [sqlite] = engines;
  if (!sqlite) throw new Error('no engine');
  stage = await startStage(sqlite);
});
afterAll(() => stage.end());

/** Bun tells nobody of these, and only Linux says how much has come. */
const untold = ['empty pieces', 'empty pieces of nothing'];
const kinds = Object.keys(floods).filter((kind) => !notLinux || !untold.includes(kind));

test.each(kinds)('a page that floods with %s is cut', async (kind) => {
  const before = (await refusalsOf(stage.service))['page flood'] ?? 0;
  const way = { port: Number(new URL(stage.service.url).port), from: rudeAddress };
  const page = await RudePage.open(way);
  page.hello(await newTicket(way, stage.channel_id));
  await page.first('welcome');
  await page.write(floods[kind] ?? new Uint8Array(0));
  await page.closed;
  expect((await refusalsOf(stage.service))['page flood']).toBe(before + 1);
});

test('the attack is counted, and leaves others alone', async () => {
  const honest = await stage.enter('honest');
  await suffer(stage.service, attack, stage.channel_id);
  stage.pass(10_000);
  await honest.report(10_000);
  await stage.recorded('honest', [{ online_time: '00:00:10', watch_time: '00:00:10' }]);
  const refused = await refusalsOf(stage.service);
  for (const reason of attack.refusals) expect(refused[reason] ?? 0).toBeGreaterThan(0);
});
