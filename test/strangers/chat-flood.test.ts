// A crowd behind one address floods the chat: it uses up its own share, and an honest viewer is heard.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { attack } from '../support/attacks/chat-flood.ts';
import { engines } from '../support/engines.ts';
import { newLiveChannel } from '../support/live-channel.ts';
import { TestPage, ticketsOf } from '../support/page.ts';
import { movingClock, startTestService, type TestService } from '../support/service.ts';
import { refusalsOf, suffer } from '../support/strangers.ts';

let service: TestService;
beforeAll(async () => {
  const [sqlite] = engines;
  if (!sqlite) throw new Error('no engine');
  service = await startTestService(sqlite, {
    clock: movingClock(),
    settings: { AUDIENCE_MESSAGES_PER_NETWORK: '100' },
  });
});
afterAll(() => service.stop());

test('every line of an honest viewer is told, while those of the crowd are refused', async () => {
  const { id } = await newLiveChannel(service);
  const sign = await ticketsOf(service);
  const page = new TestPage(service.url, { ticket: sign(id, { viewer_id: 'honest' }) });
  const { viewer } = await page.welcome();
  let isOver = false;
  const attacked = suffer(service, attack, id).then(() => {
    isOver = true;
  });
  let said = 0;
  while (!isOver) {
    const text = `line ${said}`;
    page.say({ type: 'chat', text });
    await page.next('chat', ({ messages }) => messages.some((one) => one.text === text));
    said += 1;
    // As fast as one viewer may write for long.
    await Bun.sleep(2_000);
  }
  await attacked;
  expect(said).toBeGreaterThan(1);
  expect(page.all('notice')).toEqual([]);
  const refused = await refusalsOf(service);
  for (const reason of attack.refusals) expect(refused[reason] ?? 0).toBeGreaterThan(0);
  const told = page.all('chat').flatMap(({ messages }) => messages);
  expect(told.some(({ author }) => author !== viewer.author)).toBe(true);
  // Nobody is told more at once than a quarter of a second of sound.
  const sizes = page.all('chat').map((one) => JSON.stringify(one).length);
  expect(Math.max(...sizes)).toBeLessThan(4_200);
});
