// One address that is a new viewer again and again has its share of entries, and no rows beyond it.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { attack } from '../support/attacks/fresh-cookies.ts';
import { engines } from '../support/engines.ts';
import { newLiveChannel, until } from '../support/live-channel.ts';
import { TestPage, ticketsOf } from '../support/page.ts';
import { newTicket, RudePage } from '../support/rude/rude-page.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { refusalsOf, rudeAddress, suffer } from '../support/strangers.ts';

const entries = 40;
const messages = 10;

let service: TestService;
let channel_id: number;
beforeAll(async () => {
  const [sqlite] = engines;
  if (!sqlite) throw new Error('no engine');
  service = await startTestService(sqlite, {
    settings: {
      AUDIENCE_ENTRIES_PER_NETWORK: String(entries),
      AUDIENCE_MESSAGES_PER_NETWORK: String(messages),
    },
  });
  channel_id = (await newLiveChannel(service)).id;
});
afterAll(() => service.stop());

test('a page alone writes nothing, whoever asks for it', async () => {
  const way = { port: Number(new URL(service.url).port), from: rudeAddress };
  for (let n = 0; n < 10; n += 1) await newTicket(way, channel_id);
  expect(await rows()).toEqual({ sessions: 0, visitors: 0, shares: 0 });
});

test('new viewers of one network are let in as often as it may, and others beside them', async () => {
  const attacked = suffer(service, attack, channel_id);
  const sign = await ticketsOf(service);
  const honest = new TestPage(service.url, {
    ticket: sign(channel_id, { viewer_id: 'honest' }),
  });
  await honest.welcome();
  await attacked;
  honest.say({ type: 'share', how: 'copy' });
  honest.say({ type: 'chat', text: 'still here' });
  await honest.next('chat');
  // The clock stands still, so not one more than these.
  await until(async () => (await rows()).shares === messages + 1, {
    withinMs: 10_000,
    otherwise: `${JSON.stringify(await rows())} were written`,
  });
  expect(await rows()).toEqual({
    sessions: entries + 1,
    visitors: entries + 1,
    shares: messages + 1,
  });
  const refused = await refusalsOf(service);
  for (const reason of attack.refusals) expect(refused[reason]).toBeGreaterThan(0);
  expect(refused['page messages']).toBe(entries - messages);
});

test('who was refused is told to come back, and gets in a little later', async () => {
  const way = { port: Number(new URL(service.url).port), from: rudeAddress };
  const ticket = await newTicket(way, channel_id);
  const early = await RudePage.open(way);
  early.hello(ticket);
  expect((await early.first('refused'))?.reason).toBe('full');
  expect(await early.closed).toBe(4002);
  service.clock.now += 60_000 / entries;
  const later = await RudePage.open(way);
  later.hello(ticket);
  expect((await later.first('welcome'))?.type).toBe('welcome');
  later.end();
});

async function rows() {
  const found = await service.store.one<{ sessions: number; visitors: number; shares: number }>(
    `SELECT (SELECT COUNT(*) FROM sessions) AS sessions, (SELECT COUNT(*) FROM visitors) AS visitors,
       (SELECT COALESCE(SUM(share_times), 0) FROM visitors) AS shares`,
  );
  return { ...found };
}
