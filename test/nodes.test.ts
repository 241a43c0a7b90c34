// Several services on one PostgreSQL: that they are linked, whatever is cut, and what reaches all of them.
import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test';
import { rotateLinkSecret } from '../src/base/links/link-secret-store.ts';
import { type LinkedServices, startLinkedServices } from './support/linked-services.ts';
import { until } from './support/live-channel.ts';
import { TestPage, ticketsOf } from './support/page.ts';
import type { TestService } from './support/service.ts';

/** No look at the database comes while a test runs: what is seen has come over the links. */
const never = 2 ** 30;
let nodes: LinkedServices;
let sign: Awaited<ReturnType<typeof ticketsOf>>;
const pages = new Set<TestPage>();
beforeAll(async () => {
  nodes = await startLinkedServices(3, {
    rounds: { lookEveryMs: never },
    settings: { AUDIENCE_MESSAGES_PER_VIEWER: '12', AUDIENCE_ENTRIES_PER_NETWORK: '40' },
  });
  await nodes.linked();
  sign = await ticketsOf(at(0));
});
afterEach(async () => {
  for (const page of pages) await page.leave();
  pages.clear();
});
afterAll(() => nodes.stop());

function at(number: number): TestService {
  const one = nodes.all[number];
  if (!one) throw new Error(`there is no node ${number}`);
  return one.service;
}

async function newChannel(): Promise<number> {
  const { body } = await at(0).call('POST', '/v1/activities', { body: { name: 'show' } });
  return body.id;
}

async function enter(node: number, channel_id: number, viewer_id: string): Promise<TestPage> {
  const ticket = sign(channel_id, { viewer_id });
  const page = new TestPage(at(node).url, { ticket });
  pages.add(page);
  await page.welcome();
  return page;
}

/** Resolves when the page was told all these lines. */
async function sees(page: TestPage, ...texts: string[]): Promise<void> {
  const missing = new Set(texts);
  while (missing.size > 0)
    for (const { text } of (await page.next('chat')).messages) missing.delete(text);
}

const asReader = (node: number, path: string) => at(node).call('GET', path, { token: at(0).token });
const asOperator = (node: number, method: string, path: string, body: object = {}) =>
  at(node).call(method, path, { body, token: at(0).token });

test('three services are linked, and again when all lines were cut', async () => {
  const opened = async () => {
    const texts = await Promise.all(
      nodes.all.map(({ service }) => service.call('GET', '/metrics', { token: null })),
    );
    return texts.map(({ text }) => Number(/^footlight_links_opened_total (\d+)$/m.exec(text)?.[1]));
  };
  expect(await opened()).toEqual([2, 2, 2]);
  for (const { line } of nodes.all) line.cut();
  await until(async () => (await opened()).every((count) => count >= 4), {
    withinMs: 20_000,
    otherwise: 'the links were not made anew',
  });
  await nodes.linked();
});

test('the secret is changed while all run, and no link is lost', async () => {
  const [first] = nodes.all;
  const before = first?.service.logLines.filter((line) => line.includes('a link has ended')).length;
  await first?.service.store.perform(rotateLinkSecret, {});
  const rows = await first?.service.store.all("SELECT name FROM secrets WHERE name LIKE 'links%'");
  expect(rows).toHaveLength(2);
  await nodes.linked();
  const after = first?.service.logLines.filter((line) => line.includes('a link has ended')).length;
  expect(after).toBe(before as number);
});

test('a line of chat reaches the pages of every node', async () => {
  const channel_id = await newChannel();
  const [ada, bob, eve] = [
    await enter(0, channel_id, 'ada'),
    await enter(1, channel_id, 'bob'),
    await enter(2, channel_id, 'eve'),
  ];
  ada.say({ type: 'chat', text: 'from the first' });
  bob.say({ type: 'chat', text: 'from the second' });
  for (const page of [ada, bob, eve]) await sees(page, 'from the first', 'from the second');
  const welcome = await (async () => {
    const page = new TestPage(at(2).url, { ticket: sign(channel_id, { viewer_id: 'late' }) });
    pages.add(page);
    return await page.welcome();
  })();
  expect(welcome.chat.messages.map(({ text }) => text).toSorted()).toEqual([
    'from the first',
    'from the second',
  ]);
});

test('what a host and a moderator do on one node is done on every node', async () => {
  const channel_id = await newChannel();
  const chat = `/manage/v1/channels/${channel_id}/chat`;
  const page = await enter(1, channel_id, 'ada');
  const other = await enter(2, channel_id, 'bob');
  other.say({ type: 'chat', text: 'hello' });
  const { messages } = await page.next('chat');
  const id = messages[0]?.id ?? 0;
  await asOperator(0, 'POST', `${chat}/pin`, { id });
  expect((await page.next('chat_pinned')).message?.text).toBe('hello');
  await asOperator(0, 'POST', `${chat}/say`, { text: 'welcome all' });
  await page.next('chat', (told) => told.messages.some((one) => one.text === 'welcome all'));
  await asOperator(0, 'POST', `${chat}/remove`, { ids: [id] });
  expect((await page.next('chat_removed')).ids).toEqual([id]);
  expect((await page.next('chat_pinned')).message).toBeNull();
  await asOperator(0, 'POST', `${chat}/slow`, { seconds: 600 });
  expect((await page.next('chat_slow')).slow_seconds).toBe(600);
  // He wrote on another node, before it was slow.
  const elsewhere = await enter(0, channel_id, 'bob');
  elsewhere.say({ type: 'chat', text: 'too soon' });
  expect((await elsewhere.next('notice')).wait_ms).toBeWithin(1, 600_001);
  await asOperator(0, 'POST', `${chat}/close`);
  expect((await page.next('chat_open')).open).toBe(false);
  await asOperator(0, 'POST', `${chat}/ban`, { viewer_id: 'ada' });
  expect((await page.next('refused')).reason).toBe('banned');
  expect(await page.closed).toBe(4001);
  // And is let in again everywhere when the ban is lifted.
  await asOperator(0, 'POST', `${chat}/lift`, { viewer_id: 'ada' });
  await until(
    async () => {
      const again = new TestPage(at(1).url, { ticket: sign(channel_id, { viewer_id: 'ada' }) });
      pages.add(again);
      return await again.welcome().then(
        () => true,
        () => false,
      );
    },
    { withinMs: 10_000, otherwise: 'the ban was not lifted on the other node' },
  );
});

test('a rename reaches the pages of every node, and a deletion sends all of them away', async () => {
  const channel_id = await newChannel();
  const page = await enter(1, channel_id, 'ada');
  await asOperator(0, 'PUT', `/v1/activities/${channel_id}`, { name: 'another name' });
  expect((await page.next('playbill')).playbill.name).toBe('another name');
  await asOperator(2, 'DELETE', `/v1/activities/${channel_id}`);
  expect((await page.next('refused')).reason).toBe('gone');
});

test('viewers are counted over all nodes, each once, and anew when a line is cut', async () => {
  const channel_id = await newChannel();
  const told = (page: TestPage, count: number) =>
    page.next('viewers', (message) => message.count === count);
  const ada = await enter(0, channel_id, 'ada');
  const second = await enter(1, channel_id, 'ada');
  const bob = await enter(2, channel_id, 'bob');
  await Promise.all([ada, second, bob].map((page) => told(page, 2)));
  const eve = await enter(1, channel_id, 'eve');
  await Promise.all([ada, second, bob, eve].map((page) => told(page, 3)));
  // A tab of two: its viewer is still there.
  await second.leave();
  await bob.leave();
  await Promise.all([told(ada, 2), told(eve, 2)]);
  // The host may ask any node, also one that nobody watches at.
  for (const node of [0, 1, 2]) {
    const shown = async () => {
      const { body } = await asReader(node, `/manage/v1/channels/${channel_id}/live`);
      const list = await asReader(node, '/manage/v1/channels');
      const listed = list.body.channels.find((one: { id: number }) => one.id === channel_id);
      return [body.viewers, listed.viewers];
    };
    // A node that is slow to answer is not waited for.
    await until(async () => (await shown()).every((viewers) => viewers === 2), {
      withinMs: 10_000,
      otherwise: `node ${node} does not know how many watch`,
    });
  }
  for (const { line } of nodes.all) line.cut();
  await nodes.linked();
  await enter(2, channel_id, 'zoe');
  await Promise.all([told(ada, 3), told(eve, 3)]);
});

test('a viewer on two nodes writes no faster than on one', async () => {
  const channel_id = await newChannel();
  const pair = [await enter(0, channel_id, 'ada'), await enter(1, channel_id, 'ada')];
  // Two at once, then one in five seconds: the second node knows of the first's.
  pair[0]?.say({ type: 'chat', text: 'one' });
  pair[0]?.say({ type: 'chat', text: 'two' });
  for (const page of pair) await sees(page, 'one', 'two');
  pair[1]?.say({ type: 'chat', text: 'three' });
  expect((await pair[1]?.next('notice'))?.notice).toBe('slow_down');
});

test('a network brings in no more viewers by several nodes than by one', async () => {
  const channel_id = await newChannel();
  const outcomes: string[] = [];
  for (let n = 0; n < 60; n += 1) {
    const page = new TestPage(at(n % 3).url, { ticket: sign(channel_id) });
    pages.add(page);
    outcomes.push(
      await Promise.race([
        page.welcome().then(
          () => 'in',
          () => 'refused',
        ),
        page.next('refused').then(
          () => 'refused',
          () => 'refused',
        ),
      ]),
    );
  }
  const entered = outcomes.filter((one) => one === 'in').length;
  // Forty a minute; those of the tests before count, too, and one more comes each second and a half.
  expect(entered).toBeLessThan(50);
  expect(outcomes.at(-1)).toBe('refused');
});
