// Whether somebody is signed in still, as the service says.
import { expect, test } from 'bun:test';
import { AnswerMemory } from './answer-memory.ts';
import { Api } from './api.ts';
import { startSession } from './signed-in.ts';

function sessionWith(answer: () => Promise<Response>) {
  const answers = new AnswerMemory();
  answers.set('/manage/v1/people', {});
  const told = { over: 0 };
  const session = startSession({
    api: () => api,
    answers,
    onOver: () => {
      told.over += 1;
    },
  });
  const api = new Api({
    fetch: answer,
    send: answer,
    onReach: () => undefined,
    onUnauthorized: session.isOver,
  });
  return { session, told, knows: () => answers.get('/manage/v1/people') !== undefined };
}

test.each([200, 401])('whose sign-out is answered %p is signed out', async (status) => {
  const { session, told, knows } = sessionWith(async () => Response.json({}, { status }));
  expect(await session.signOut()).toBeUndefined();
  expect(session.me.value).toBeNull();
  expect(told.over).toBeGreaterThan(0);
  expect(knows()).toBeFalse();
});

test.each([
  ['refused', async () => Response.json({}, { status: 503 })],
  ['not answered', () => Promise.reject(new Error('cut'))],
])('whose sign-out is %s is still signed in, and told so', async (_, answer) => {
  const { session, told, knows } = sessionWith(answer);
  expect(await session.signOut()).toBeDefined();
  expect(session.me.value).toBeUndefined();
  expect(told.over).toBe(0);
  expect(knows()).toBeTrue();
});
