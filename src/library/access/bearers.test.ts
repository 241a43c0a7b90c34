// In whose line a token is looked up: nobody's unknown tokens are before an account's own.
import { afterAll, describe, expect, test } from 'bun:test';
import { engines } from '../../../test/support/engines.ts';
import { openTestStore } from '../../../test/support/store.ts';
import { Bearers } from './bearers.ts';
import { makeToken } from './token.ts';
import { createToken, revokeToken } from './token-store.ts';

for (const engine of engines) {
  describe(engine.name, async () => {
    const store = await openTestStore(engine);
    afterAll(() => store.close());
    const lines: string[] = [];
    const recorded = {
      ...store,
      for: (whose: string) => {
        lines.push(whose);
        return store.for(whose);
      },
    };
    const bearers = new Bearers({ store: recorded, now: () => 1, tokenUses: { note: () => {} } });
    const show = async (token: string, address = '192.0.2.1') => {
      const shown = { version: undefined, address: () => address };
      return await bearers.find(`Bearer ${token}`, shown).then(
        ({ account_id }) => account_id,
        ({ message }: Error) => message,
      );
    };

    test('an unknown token waits behind those of its network, a known one behind those of its account', async () => {
      const order = { account_id: 1, manager_id: 0, name: '', now: 0, expires_at: null };
      const { id, token } = await store.perform(createToken, { ...order, scopes: [] });
      expect([await show(token), await show(token, '192.0.2.2')]).toEqual([1, 1]);
      expect(await show(makeToken(), '::ffff:192.0.2.1')).toBe('The token is not known');
      expect(await show(makeToken(), '')).toBe('The token is not known');
      await store.perform(revokeToken, { id, now: 0 });
      expect(await show(token)).toBe('The token was revoked');
      expect(await show(token)).toBe('The token was revoked');
      expect(lines).toEqual([
        '192.0.2.1',
        'account 1',
        '192.0.2.1',
        'an unknown network',
        'account 1',
        '192.0.2.1',
      ]);
    });
  });
}
