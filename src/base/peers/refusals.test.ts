import { expect, test } from 'bun:test';
import { startLog } from '../lib/log.ts';
import { Refusals } from './refusals.ts';

test('refusals are counted by reason and remembered by who', () => {
  const { refusals, clock } = start();
  const book = refusals.book('rtmp', { full: 'all are taken', key: 'a wrong key' });
  book.note('full', '192.0.2.1');
  clock.at += 5;
  book.note('full', '192.0.2.1');
  book.note('key', '192.0.2.2');
  expect(refusals.counts.get('rtmp')).toEqual({ full: 2, key: 1 });
  const sentence = 'all are taken';
  expect(refusals.recent()).toEqual([
    { kind: 'rtmp', reason: 'full', sentence, who: '192.0.2.1', count: 2, first_at: 0, last_at: 5 },
    expect.objectContaining({ reason: 'key', who: '192.0.2.2', count: 1 }),
  ]);
});

test('what was refused long ago is counted, but not shown', () => {
  const { refusals, clock } = start();
  const book = refusals.book('http', { full: 'all are taken' });
  book.note('full', 'early');
  clock.at = 500_000;
  book.note('full', 'late');
  clock.at = 600_001;
  expect(refusals.recent().map(({ who }) => who)).toEqual(['late']);
  expect(refusals.counts.get('http')).toEqual({ full: 2 });
});

test('a crowd of networks does not grow it', () => {
  const { refusals } = start();
  const book = refusals.book('http', { full: 'all are taken' });
  for (let network = 0; network < 5_000; network += 1) book.note('full', `network ${network}`);
  expect(refusals.recent()).toHaveLength(1_000);
  expect(refusals.counts.get('http')).toEqual({ full: 5_000 });
});

test('a flood of refusals is a line now and then', () => {
  const { refusals, clock, lines } = start();
  const book = refusals.book('page', { full: 'all are taken', bot: 'a robot' });
  for (let count = 0; count < 1_000; count += 1) book.note('full', 'flood');
  book.note('bot', 'robot');
  clock.at = 10_000;
  book.note('full', 'flood');
  expect(lines.map(({ reason, count }) => [reason, count])).toEqual([
    ['full', 1],
    ['bot', 1],
    ['full', 1_000],
  ]);
});

function start() {
  const clock = { at: 0 };
  const lines: { reason: string; count: number }[] = [];
  const log = startLog('warn', {
    write: (text) => {
      lines.push(
        ...text
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line)),
      );
      return text.length;
    },
  });
  const refusals = new Refusals({ now: () => clock.at, log: { ...log, warn: warned(log) } });
  return { refusals, clock, lines };
}

/** Written at once, so that the test need not wait for the log. */
function warned(log: ReturnType<typeof startLog>): typeof log.warn {
  return (message, fields) => {
    log.warn(message, fields);
    log.flush();
  };
}
