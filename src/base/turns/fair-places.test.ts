// How many work at once, and whose turn is next.
import { expect, test } from 'bun:test';
import { FairPlaces } from './fair-places.ts';

test('a few work at once, of one network half of them', async () => {
  const { begin, begun } = places(4);
  for (const name of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']) begin(name);
  await settled();
  expect(begun).toEqual(['a1', 'a2', 'b1', 'c1']);
});

test('who waits gets its turn, networks one after another', async () => {
  const { begin, begun, end } = places(2);
  for (const name of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']) begin(name);
  for (let count = 0; count < 6; count += 1) {
    await settled();
    end(begun[count] ?? '');
  }
  await settled();
  expect(begun).toEqual(['a1', 'b1', 'a2', 'b2', 'c1', 'a3']);
});

test('where one place that is left makes room for two, both work', async () => {
  const { begin, begun, end } = places(3);
  for (const name of ['a1', 'b1', 'b2', 'a2']) begin(name);
  await settled();
  expect(begun).toEqual(['a1', 'b1']);
  end('a1');
  await settled();
  expect(begun).toEqual(['a1', 'b1', 'b2', 'a2']);
});

test('one that fails lets the next work, and the failure is its own', async () => {
  const places = new FairPlaces({ placesMax: 1 });
  const failed = places.run({ whose: 'a' }, () => Promise.reject(new Error('it is broken')));
  const found = places.run({ whose: 'a' }, async () => 'found');
  await expect(failed).rejects.toThrow('it is broken');
  expect(await found).toBe('found');
});

test('who gives up is passed over, and is told nothing', async () => {
  const { begin, begun, end } = places(1);
  begin('a1');
  const second = begin('a2');
  const third = begin('a3');
  second.giveUp();
  second.giveUp();
  expect(await second.over).toBeUndefined();
  end('a1');
  await settled();
  end('a3');
  expect([await third.over, begun]).toEqual(['a3', ['a1', 'a3']]);
});

/** Work that lasts until it is ended; the first letter is the network. */
function places(placesMax: number) {
  const all = new FairPlaces({ placesMax });
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const begin = (name: string) => {
    const asker = { whose: name.slice(0, 1) };
    const over = all.run(asker, async () => {
      begun.push(name);
      await new Promise<void>((resolve) => ends.set(name, resolve));
      return name;
    });
    return { over, giveUp: () => all.giveUp(asker) };
  };
  return { begin, begun, end: (name: string) => ends.get(name)?.() };
}

function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
