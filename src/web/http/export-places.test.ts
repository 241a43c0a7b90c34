import { expect, test } from 'bun:test';
import { startLog } from '../../base/lib/log.ts';
import { Refusals } from '../../base/peers/refusals.ts';
import { type ExportPlace, ExportPlaces } from './export-places.ts';
import { httpBounds } from './http-limits.ts';
import { httpRefusals } from './http-refusals.ts';

const { exportsMax, exportStallMs } = httpBounds;

test('one account has half of the places, and another begins at once', () => {
  const { places, counts } = open();
  fill(places, 1);
  expect(() => places.take(side(1))).toThrow('its share');
  places.take(side(2));
  expect(counts()).toMatchObject({ export_account: 2, export: 0, export_stalled: 0 });
});

test('a place that was left is free again, and can be left once', () => {
  const { places } = open();
  const [first] = fill(places, 1);
  first?.leave();
  first?.leave();
  places.take(side(1));
  expect(() => places.take(side(1))).toThrow('its share');
});

test('of those of which nothing is taken, the one that has waited longest makes room', async () => {
  const { places, clock, counts } = open();
  const [first, second, ...making] = fill(places, 1);
  for (const place of [first, second]) {
    await place?.watched(async () => 'a piece')();
    clock.now += 1;
  }
  for (const place of making) place.watched(() => new Promise(() => {}))();
  clock.now += exportStallMs - 3;
  expect(() => places.take(side(1))).toThrow('its share');
  clock.now += 1;
  places.take(side(1));
  expect([first?.signal.aborted, second?.signal.aborted]).toEqual([true, false]);
  clock.now += 1;
  places.take(side(1));
  expect(second?.signal.aborted).toBe(true);
  expect(() => places.take(side(1))).toThrow('its share');
  expect(making.filter(({ signal }) => signal.aborted)).toEqual([]);
  expect(counts()).toMatchObject({ export_stalled: 2 });
});

test('where all are taken, a stalled one of another account makes room', async () => {
  const { places, clock } = open();
  const taken = [1, 2, 3, 4, 5].flatMap((account) => fill(places, account));
  expect(taken).toHaveLength(exportsMax);
  expect(() => places.take(side(6))).toThrow(`${exportsMax} exports`);
  // Nobody has asked for its first piece.
  clock.now += exportStallMs;
  places.take(side(6));
  expect(taken[0]?.signal.aborted).toBe(true);
});

test('two pieces are made at once, one of an account, and its others wait', async () => {
  const { places } = open();
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const ask = (place: ExportPlace, name: string) =>
    place.watched(() => {
      begun.push(name);
      return new Promise((resolve) => ends.push(() => resolve(name)));
    })();
  const mine = fill(places, 1).map((place, at) => ({ place, piece: ask(place, `mine ${at}`) }));
  const yours = ask(places.take(side(2)), 'yours');
  expect(begun).toEqual(['mine 0', 'yours']);
  // Who has gone while it waited is passed over.
  mine[1]?.place.leave();
  expect(await mine[1]?.piece).toBeUndefined();
  ends[0]?.();
  expect(await mine[0]?.piece).toBe('mine 0');
  ends[1]?.();
  expect(await yours).toBe('yours');
  expect(begun).toEqual(['mine 0', 'yours', 'mine 2']);
});

test('one manager has half of what the account may have, and others of it begin at once', () => {
  const { places, counts } = open();
  const mine = fill(places, 1, 7);
  expect(mine).toHaveLength(exportsMax / 4);
  expect(() => places.take({ account_id: 1, manager_id: 7 })).toThrow('The manager has');
  expect(fill(places, 1, 8)).toHaveLength(exportsMax / 8);
  places.take({ account_id: 1, manager_id: 9 });
  expect(counts()).toMatchObject({ export_account: 0, export_manager: 3 });
  // The account's own side has what is left.
  expect(fill(places, 1)).toHaveLength(1);
});

test('where a manager has their share, room is made of their own', () => {
  const { places, clock } = open();
  const yours = places.take({ account_id: 1, manager_id: 8 });
  const mine = fill(places, 1, 7);
  clock.now += exportStallMs;
  places.take({ account_id: 1, manager_id: 7 });
  expect([yours, ...mine].map(({ signal }) => signal.aborted)).toEqual([
    false,
    true,
    ...mine.slice(1).map(() => false),
  ]);
});

test('managers of an account take turns at its pieces, however many exports each has', async () => {
  const { places } = open();
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const ask = (place: ExportPlace) =>
    place.watched(() => {
      begun.push(place.whose);
      return new Promise((resolve) => ends.push(() => resolve('a piece')));
    })();
  const asked = [...fill(places, 1, 7), ...fill(places, 1, 8)].map(ask);
  for (let at = 0; at < asked.length; at += 1) {
    ends[at]?.();
    await Bun.sleep(0);
  }
  await Promise.all(asked);
  const [seven, eight] = ['account 1, manager 7', 'account 1, manager 8'] as const;
  expect(begun).toEqual([seven, seven, eight, seven, eight, seven]);
});

function open() {
  const clock = { now: 1_000 };
  const now = () => clock.now;
  const refusals = new Refusals({ now, log: startLog('silent') });
  const book = refusals.book('http', httpRefusals);
  const places = new ExportPlaces({ refusals: book, bounds: httpBounds, now });
  return { places, clock, counts: () => refusals.counts.get('http') };
}

/** The account's own side. */
function side(account_id: number) {
  return { account_id, manager_id: 0 };
}

/** As many as the account, or its manager, may have. */
function fill(places: ExportPlaces, account_id: number, manager_id = 0) {
  const taken = [];
  try {
    while (taken.length < exportsMax) taken.push(places.take({ account_id, manager_id }));
  } catch {
    // It has its share.
  }
  return taken;
}
