// What a page sends beyond what Bun tells of it, as the system counts it.
import { expect, test } from 'bun:test';
import { httpLimits } from './http-limits.ts';
import { PageWatch } from './page-watch.ts';

const { untoldBytesMax } = httpLimits;

test('who sends more than Bun tells is cut, and nobody else', () => {
  const hall = openHall();
  const [quiet, talker, flooder] = [hall.page('quiet'), hall.page('talker'), hall.page('flooder')];
  hall.look();
  talker.send(1_000_000);
  talker.toldBytes += 1_000_000;
  flooder.send(untoldBytesMax);
  hall.look();
  expect(hall.wasCut).toEqual([]);
  flooder.send(1);
  hall.look();
  expect(hall.wasCut).toEqual([flooder]);
  expect(hall.watch.count).toBe(2);
  expect(hall.watch.has(quiet.name)).toBe(true);
});

test('what came before it was a page is not counted', () => {
  const hall = openHall();
  const page = hall.page('one', { sentBytes: 10 * untoldBytesMax });
  hall.look({ isNew: false });
  expect(hall.wasCut).toEqual([]);
  page.send(untoldBytesMax + 1);
  hall.look();
  expect(hall.wasCut).toEqual([page]);
});

test('one that floods before it is met is cut', () => {
  const hall = openHall();
  const page = hall.page('one');
  page.send(untoldBytesMax + 1);
  hall.look();
  expect(hall.wasCut).toEqual([page]);
});

test('one that comes from where another was begins anew, and is not forgotten with it', () => {
  const hall = openHall();
  const before = hall.page('same');
  hall.look();
  const after = hall.page('same');
  hall.watch.closed(before);
  expect(hall.watch.count).toBe(1);
  after.send(untoldBytesMax + 1);
  hall.look();
  expect(hall.wasCut).toEqual([after]);
});

test('of one that has gone nothing is left', () => {
  const hall = openHall();
  const page = hall.page('one');
  hall.look();
  hall.watch.closed(page);
  page.send(2 * untoldBytesMax);
  hall.look();
  expect(hall.wasCut).toEqual([]);
  expect(hall.watch.has('one')).toBe(false);
  expect(hall.watch.count).toBe(0);
});

function openHall() {
  const watch = new PageWatch();
  const wasCut: object[] = [];
  const pages = new Map<string, { receivedBytes: number }>();
  const page = (name: string, { sentBytes = 0 } = {}) => {
    const one = {
      name,
      toldBytes: 0,
      receivedBytes: sentBytes,
      send: (bytes: number) => {
        one.receivedBytes += bytes;
      },
      cut: () => {
        wasCut.push(one);
        watch.closed(one);
      },
    };
    pages.set(name, one);
    watch.upgraded(one, name);
    return one;
  };
  const look = ({ isNew = true } = {}) => {
    for (const [name, { receivedBytes }] of pages) watch.came(name, receivedBytes, { isNew });
  };
  return { watch, wasCut, page, look };
}
