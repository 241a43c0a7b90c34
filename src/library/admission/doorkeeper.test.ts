// How often somebody may guess at a door: one behind the other or all at once, from one network or from many.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { engines } from '../../../test/support/engines.ts';
import { openTestStore } from '../../../test/support/store.ts';
import type { Store } from '../../base/db/sql.ts';
import { startLog } from '../../base/lib/log.ts';
import { Refusals } from '../../base/peers/refusals.ts';
import type { Admission } from './admission.ts';
import { triesOfNetwork, triesOfSite } from './admission-limits.ts';
import { Doorkeeper, type RightPassword } from './doorkeeper.ts';
import type { Pass } from './pass.ts';

const password = 'open sesame';
const quick = { algorithm: 'argon2id', memoryCost: 8, timeCost: 1 } as const;

let store: Store;
beforeAll(async () => {
  const [embedded] = engines;
  if (embedded) store = await openTestStore(embedded);
});
afterAll(() => store.close());

/** A door behind which somebody has been let in already, or nobody yet; its password was set there or on another node. */
async function startDoor({
  hasLetIn,
  isSetHere = false,
  isTold = false,
}: {
  hasLetIn: boolean;
  isSetHere?: boolean;
  isTold?: boolean;
}) {
  const log = startLog('silent');
  const clock = { now: 1_000_000 };
  const now = () => clock.now;
  const pass: Pass = { of: 'c1', revision: 'r1', mark: 'somebody', expires: 2_000 };
  const peers = { refusals: new Refusals({ now, log }), isAllowed: () => false };
  const newDoorkeeper = (onRight: (right: RightPassword) => void) =>
    new Doorkeeper({
      ...{ store, secret: 'of the test', peers, hash: quick, onRight, now },
      admissions: { pass: () => pass },
    });
  const doorkeeper = newDoorkeeper(() => {});
  const told = (right: RightPassword) => isTold && doorkeeper.learn(right);
  const setter = isSetHere ? doorkeeper : newDoorkeeper(told);
  const admission: Admission = {
    ...{ account_id: 1, channel_id: 1, thing: 'c1', setBy: 'c1' },
    rule: {
      ...{ kind: 'password', revision: 'r1', show_cover: true, ended: [] },
      password_hash: await setter.hash(password, '192.0.2.1'),
    },
  };
  const answer = (typed: string, address: string, isKnown = false) =>
    doorkeeper.answer(admission, { password: typed }, { address, viewer_id: '', isKnown });
  if (hasLetIn) expect(await answer(password, '192.0.2.1')).toEqual({ pass });
  /** How many of so many tries were looked at. */
  const looked = async (tries: Promise<unknown>[]) => {
    const answers = await Promise.all(tries.map((one) => one.catch(() => 'busy')));
    return answers.filter((one) => one === 'wrong').length;
  };
  return { clock, answer, looked, pass };
}

for (const hasLetIn of [false, true])
  test(`a network that tries all at once tries no more often, ${hasLetIn ? 'behind others' : 'as the first'}`, async () => {
    const { clock, answer, looked, pass } = await startDoor({ hasLetIn });
    const atOnce = (text: string) =>
      looked(Array.from({ length: 40 }, (_, n) => answer(`${text} ${n}`, '192.0.2.7')));
    expect(await atOnce('first')).toBe(triesOfNetwork.atOnce);
    expect(await answer(password, '192.0.2.7')).toHaveProperty('waitMs');
    clock.now += triesOfNetwork.everyMs;
    expect(await atOnce('second')).toBe(1);
    expect(await answer(password, '192.0.2.8')).toEqual({ pass });
  });

test('whoever has thousands of networks of IPv6 guesses as one site', async () => {
  const { clock, answer, looked, pass } = await startDoor({ hasLetIn: true });
  const round = async (from: number) => {
    let count = 0;
    for (let n = from; n < from + 500; n += 1)
      count += await looked([answer(`guess ${n}`, `2001:db8:1:${n.toString(16)}::1`)]);
    return count;
  };
  expect(await round(0)).toBe(triesOfSite.atOnce);
  clock.now += 3 * triesOfSite.everyMs;
  expect(await round(500)).toBe(3);
  for (const address of ['2001:db8:2::1', '192.0.2.9'])
    expect(await answer(password, address)).toEqual({ pass });
});

test('a crowd that knows the password waits for nobody', async () => {
  const { answer, pass } = await startDoor({ hasLetIn: false });
  const crowd = Array.from({ length: 300 }, () => answer(password, '192.0.2.7'));
  for (const one of await Promise.all(crowd)) expect(one).toEqual({ pass });
});

/** Each of a network of its own, all at once: more than may wait for Argon2id. */
function guessesOfMany(answer: (typed: string, address: string) => Promise<unknown>) {
  const waited = Array.from({ length: 100 }, (_, n) => answer(`guess ${n}`, `198.51.100.${n}`));
  return Promise.allSettled(waited);
}

for (const isSetHere of [true, false])
  test(`however many guess, who knows the password comes in where it was set${isSetHere ? '' : ', and where that was told'}`, async () => {
    const { answer, pass } = await startDoor({ hasLetIn: false, isSetHere, isTold: true });
    const guesses = guessesOfMany(answer);
    expect(await answer(password, '192.0.2.7')).toEqual({ pass });
    for (const guess of await guesses) expect(guess).toMatchObject({ value: 'wrong' });
  });

test('where it was set elsewhere, who came in before does not wait behind those who guess', async () => {
  const { answer, pass } = await startDoor({ hasLetIn: false });
  const guesses = guessesOfMany(answer);
  expect(await answer(password, '192.0.2.7', true)).toEqual({ pass });
  // Then everybody else does who knows it.
  expect(await answer(password, '192.0.2.8')).toEqual({ pass });
  expect((await guesses).some(({ status }) => status === 'rejected')).toBe(true);
});
