// Pages that say much in one turn: who is heard when, and that no end overtakes what was said before it.
import { describe, expect, test } from 'bun:test';
import { audienceBounds } from '../../../test/support/audience-bounds.ts';
import { busy, openHall } from '../../../test/support/presence-hall.ts';
import { startLog } from '../../base/lib/log.ts';
import { nextTurn } from '../../base/turns/turn-slice.ts';
import { pageBounds } from '../protocol/page-limits.ts';
import { Connection } from './page-connection.ts';
import { PageTurns } from './page-turns.ts';

const noon = Date.UTC(2026, 4, 4, 12);
const log = startLog('silent');

test('what comes when the turn is full waits: networks take turns, and each page is heard in order', async () => {
  const turns = newTurns();
  const [first, a, b, other] = [pageOf('x'), pageOf('rude'), pageOf('rude'), pageOf('honest')];
  const heard: string[] = [];
  const say = (page: Connection, name: string) =>
    turns.hear(page, { bytes: 1, hear: () => heard.push(name) });
  turns.hear(first, { bytes: 1, hear: () => busy(20) });
  for (const name of ['a1', 'a2', 'a3']) say(a, name);
  for (const name of ['b1', 'b2']) say(b, name);
  turns.end(b, () => heard.push('b has gone'));
  say(other, 'honest');
  turns.end(other, () => heard.push('honest has gone'));
  turns.end(first, () => heard.push('first has gone'));
  expect(heard).toEqual(['first has gone']);
  await turns.settled();
  expect(heard.slice(1)).toEqual([
    ...['a1', 'honest', 'b1', 'honest has gone', 'a2', 'b2', 'a3', 'b has gone'],
  ]);
});

test('all that waits takes many turns, and others have theirs in between', async () => {
  const turns = newTurns();
  const page = pageOf('rude');
  let heard = 0;
  const hear = () => {
    busy(6);
    heard += 1;
  };
  for (let n = 0; n < 4; n += 1) turns.hear(page, { bytes: 1, hear });
  const seen = [heard];
  for (; heard < 4; await nextTurn()) seen.push(heard);
  expect([...new Set(seen)]).toEqual([1, 2, 3]);
});

test('a page that is settled is heard at once, and not again', async () => {
  const turns = newTurns();
  const page = pageOf('x');
  const heard: number[] = [];
  turns.hear(page, { bytes: 1, hear: () => busy(20) });
  for (const n of [1, 2]) turns.hear(page, { bytes: 1, hear: () => heard.push(n) });
  page.settle();
  expect(heard).toEqual([1, 2]);
  turns.hear(page, { bytes: 1, hear: () => heard.push(3) });
  await turns.settled();
  expect(heard).toEqual([1, 2, 3]);
});

test('what waits has a bound by page and by network, and nobody else is told no', async () => {
  const turns = newTurns();
  const { unheardBytesMax, unheardBytesInAllMax } = pageBounds;
  let heard = 0;
  const words = (bytes: number) => ({ bytes, hear: () => (heard += 1) });
  turns.hear(pageOf('x'), { bytes: 1, hear: () => busy(20) });
  const page = pageOf('x');
  expect(turns.hear(page, words(unheardBytesMax))).toBe(true);
  expect(turns.hear(page, words(1))).toBe(false);
  let taken = 0;
  while (turns.hear(pageOf('rude'), words(unheardBytesMax))) taken += 1;
  const left = unheardBytesInAllMax / unheardBytesMax - 1;
  expect(taken).toBe(Math.ceil(left / 2));
  expect(turns.hear(pageOf('honest'), words(100))).toBe(true);
  await turns.settled();
  expect(heard).toBe(taken + 2);
  expect(turns.hear(pageOf('rude'), words(unheardBytesMax))).toBe(true);
});

describe('in a room', () => {
  test("a page's end does not overtake its last report", async () => {
    const hall = await openHall();
    const page = await hall.enter('viewer');
    hall.clock.now += 10_000;
    hall.fillTurn();
    page.say({ type: 'report', played_ms: 10_000 });
    page.close();
    expect(hall.presence.counts().reports).toBe(0);
    hall.clock.now += 60_000;
    await hall.presence.stop();
    expect(await hall.records('viewer')).toEqual([{ online_ms: 10_000, watch_ms: 10_000 }]);
  });

  test.each(['loaded anew', 'connected anew'])(
    'a page that is %s goes on, though its last words wait to be heard',
    async (how) => {
      const hall = await openHall();
      const page = await hall.enter('viewer', { instance: 'first' });
      const { resume = '' } = page;
      hall.clock.now += 10_000;
      hall.fillTurn();
      for (let n = 0; n < 3; n += 1) page.say({ type: 'nick', nick: `name ${n}` });
      page.say({ type: 'report', played_ms: 10_000 });
      const instance = how === 'loaded anew' ? 'second' : 'first';
      // Of a connection that is lost we are told late.
      if (how === 'loaded anew') page.close();
      const again = await hall.enter('viewer', { resume, instance });
      hall.clock.now += 5_000;
      again.say({ type: 'report', played_ms: 5_000 });
      await hall.presence.stop();
      expect(await hall.records('viewer')).toEqual([{ online_ms: 15_000, watch_ms: 15_000 }]);
    },
  );

  test('200 pages that say much in one turn are all heard, in the turns that follow', async () => {
    const hall = await openHall();
    const pages = await Promise.all(Array.from({ length: 200 }, (_, n) => hall.enter(`${n}`)));
    hall.fillTurn();
    for (const page of pages)
      for (let n = 0; n < 10; n += 1) page.say({ type: 'report', played_ms: 1 });
    expect(hall.presence.counts().reports).toBe(0);
    await hall.presence.stop();
    expect(hall.presence.counts().reports).toBe(2_000);
    expect(hall.refused()).toEqual({});
  });

  test('a page with more waiting than it may is cut', async () => {
    const hall = await openHall();
    const page = await hall.enter('viewer');
    hall.fillTurn();
    for (let n = 0; n < 20 && page.isOpen; n += 1)
      page.say({ type: 'chat', text: 'x'.repeat(4_000) });
    expect(page.isOpen).toBe(false);
    expect(hall.refused()).toEqual({ flood: 1 });
    await hall.presence.stop();
  });
});

function newTurns(): PageTurns {
  return new PageTurns({ peers: audienceBounds().peers, bounds: pageBounds, log, turnMs: 5 });
}

function pageOf(network: string): Connection {
  const upgrade = { ip: '', network, device: '', browser: '', refusal: undefined };
  return new Connection(upgrade, noon);
}
