// Argon2id within its bounds: a few at once, a few that wait, one network no more than its share.
import { describe, expect, test } from 'bun:test';
import type { ApiError } from '../../base/api/errors.ts';
import { PasswordHashes } from './password-hashes.ts';
import { signInLimits } from './sign-in-limits.ts';

const a = { network: 'a', isKnown: false };

function hashes() {
  const refused: string[] = [];
  const passwords = new PasswordHashes({
    isAllowed: () => false,
    refusals: { note: (reason, who) => void refused.push(`${reason} ${who}`) },
  });
  return { passwords, refused };
}

describe('passwords', () => {
  test('are right or wrong, and of nobody never right', async () => {
    const { passwords } = hashes();
    const hash = await passwords.hash('three green lamps', a);
    expect(hash).toStartWith('$argon2id$v=19$m=19456,t=2,p=1$');
    expect(await passwords.isRight('three green lamps', hash, a)).toBeTrue();
    expect(await passwords.isRight('three red lamps', hash, a)).toBeFalse();
    expect(await passwords.isRight('nobody has this password', undefined, a)).toBeFalse();
    expect(passwords.runs).toBe(4);
  });

  test('are the same however a keyboard encodes them', async () => {
    const { passwords } = hashes();
    const hash = await passwords.hash('caf\u00e9 au lait', a);
    expect(await passwords.isRight('cafe\u0301 au lait', hash, a)).toBeTrue();
  });

  test('of a network that asks for many are refused beyond its share; another still gets its turn', async () => {
    const { passwords, refused } = hashes();
    const hash = await passwords.hash('three green lamps', a);
    const asked = [...Array(signInLimits.waitingMax)].map(() =>
      passwords.isRight('a guess', hash, a).then(
        () => 'checked',
        (error: ApiError) => `${error.kind} ${error.headers['Retry-After']}`,
      ),
    );
    const order: string[] = [];
    const last = Promise.all(asked).then(() => order.push('all of a'));
    const other = passwords
      .isRight('three green lamps', hash, { network: 'b', isKnown: false })
      .then((isRight) => {
        order.push('b');
        return isRight;
      });
    expect(await other).toBeTrue();
    await last;
    // It did not wait for the others' line.
    expect(order).toEqual(['b', 'all of a']);
    const told = await Promise.all(asked);
    expect(told.filter((one) => one === 'checked')).toHaveLength(signInLimits.waitingMax / 2);
    expect(told.filter((one) => one === 'unavailable 2')).toHaveLength(signInLimits.waitingMax / 2);
    expect(new Set(refused)).toEqual(new Set(['busy a']));
  });

  test('of who is known do not wait behind strangers, however many networks those have', async () => {
    const { passwords, refused } = hashes();
    const hash = await passwords.hash('three green lamps', a);
    const strangers = [...Array(2 * signInLimits.waitingMax)].map((_, n) =>
      passwords.isRight('a guess', hash, { network: `s${n}`, isKnown: false }).catch(() => 'busy'),
    );
    const order: string[] = [];
    const all = Promise.all(strangers).then(() => order.push('strangers'));
    const known = { network: 's1', isKnown: true };
    expect(await passwords.isRight('three green lamps', hash, known)).toBeTrue();
    order.push('known');
    await all;
    expect(order).toEqual(['known', 'strangers']);
    expect(refused.length).toBe(signInLimits.waitingMax);
  });
});
