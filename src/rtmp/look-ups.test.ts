// How many look at once, and whose turn is next.
import { expect, test } from 'bun:test';
import { LookUps } from './look-ups.ts';

test('a few look at once, of one network half of them', async () => {
  const { begin, begun } = lookUps(4);
  for (const name of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']) begin(name);
  await settled();
  expect(begun).toEqual(['a1', 'a2', 'b1', 'c1']);
});

test('who waits gets its turn, networks one after another', async () => {
  const { begin, begun, end } = lookUps(2);
  for (const name of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']) begin(name);
  for (let count = 0; count < 6; count += 1) {
    await settled();
    end(begun[count] ?? '');
  }
  await settled();
  expect(begun).toEqual(['a1', 'b1', 'a2', 'b2', 'c1', 'a3']);
});

test('one that fails lets the next look, and the failure is its own', async () => {
  const lookUps = new LookUps({ placesMax: 1 });
  const failed = lookUps.run({ network: 'a' }, () => Promise.reject(new Error('no such key')));
  const found = lookUps.run({ network: 'a' }, async () => 'found');
  await expect(failed).rejects.toThrow('no such key');
  expect(await found).toBe('found');
});

test('who gives up is passed over, and is told nothing', async () => {
  const { begin, begun, end } = lookUps(1);
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

/** Look-ups that last until they are ended; the first letter is the network. */
function lookUps(placesMax: number) {
  const lookUps = new LookUps({ placesMax });
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const begin = (name: string) => {
    const asker = { network: name.slice(0, 1) };
    const over = lookUps.run(asker, async () => {
      begun.push(name);
      await new Promise<void>((resolve) => ends.set(name, resolve));
      return name;
    });
    return { over, giveUp: () => lookUps.giveUp(asker) };
  };
  return { begin, begun, end: (name: string) => ends.get(name)?.() };
}

function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
