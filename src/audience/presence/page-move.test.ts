import { expect, test } from 'bun:test';
import { openHall } from '../../../test/support/presence-hall.ts';
import { closeCodes } from '../protocol/messages.ts';

/** Pages that have said last that they played for eight seconds, four seconds ago. */
async function hallOf(count: number) {
  const hall = await openHall();
  const pages = await Promise.all(
    Array.from({ length: count }, (_, n) => hall.enter(`viewer ${n}`)),
  );
  hall.clock.now += 8_000;
  for (const page of pages) page.say({ type: 'report', played_ms: 8_000 });
  hall.clock.now += 4_000;
  return { ...hall, pages };
}

const untilTheirWord = [{ online_ms: 8_000, watch_ms: 8_000 }];

test('pages go a part at a time, each when its rows are written up to its last word', async () => {
  const { presence, pages, records } = await hallOf(100);
  const gone: number[] = [];
  let isOver = false;
  const sent = presence.sendElsewhere().then(() => {
    isOver = true;
  });
  while (!isOver) {
    gone.push(pages.filter(({ isOpen }) => !isOpen).length);
    for (const [n, { isOpen }] of pages.entries())
      if (!isOpen) expect(await records(`viewer ${n}`)).toEqual(untilTheirWord);
    await Bun.sleep(1);
  }
  await sent;
  // How many parts there are depends on how long each takes to be written.
  expect(gone.some((count) => count > 0 && count < 100)).toBe(true);
  for (const { closeCode } of pages) expect(closeCode).toBe(closeCodes.elsewhere);
  await presence.stop();
});

test('those that had no time to go are sent at the end, and lose no more', async () => {
  const { presence, pages, records } = await hallOf(20);
  void presence.sendElsewhere();
  await presence.stop();
  for (const [n, { closeCode }] of pages.entries()) {
    expect(closeCode).toBe(closeCodes.elsewhere);
    expect(await records(`viewer ${n}`)).toEqual(untilTheirWord);
  }
});

test('a service without others closes them as ever, and counts that they were there', async () => {
  const { presence, pages, records } = await hallOf(1);
  await presence.stop();
  expect(pages[0]?.closeCode).toBe(closeCodes.restart);
  expect(await records('viewer 0')).toEqual([{ online_ms: 12_000, watch_ms: 8_000 }]);
});
