// What a page does with its connection while it is looked at, hidden, left and found again.
import { afterAll, beforeEach, expect, test } from 'bun:test';
import { followPageLife } from './page-life.ts';

const page = Object.assign(new EventTarget(), { visibilityState: 'visible' });
Object.assign(globalThis, { window: page, document: page });
afterAll(() => {
  for (const name of ['window', 'document']) Reflect.deleteProperty(globalThis, name);
});

const done: string[] = [];
const doing = (name: string) => () => {
  done.push(name);
};
followPageLife(
  {
    connect: doing('connect'),
    leave: doing('leave'),
    retry: doing('retry'),
    replace: doing('replace'),
    used: doing('used'),
  },
  { report: doing('report') },
);
beforeEach(() => {
  done.length = 0;
  page.visibilityState = 'visible';
});

test.each([
  // Firefox ends the connection after this one; what is said later is lost.
  ['beforeunload', ['report']],
  ['pagehide', ['report', 'leave']],
  ['freeze', ['report', 'leave']],
  ['pageshow', ['connect']],
  ['resume', ['connect']],
  ['online', ['retry']],
  ['offline', ['report', 'replace']],
  ['visibilitychange', ['connect']],
  ['pointerdown', ['used']],
  ['keydown', ['used']],
])('at %s a page that is seen does %p', (event, expected) => {
  page.dispatchEvent(new Event(event));
  expect(done).toEqual(expected);
});

test('a page that is hidden says what it has played', () => {
  page.visibilityState = 'hidden';
  page.dispatchEvent(new Event('visibilitychange'));
  expect(done).toEqual(['report']);
});
