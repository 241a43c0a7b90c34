// `footlight token create|list|revoke`.
import { managerScopes, type Scope, scopes } from '../../base/api/caller.ts';
import { createFirstAccount } from '../../library/access/account-store.ts';
import { createToken, listTokens, revokeToken } from '../../library/access/token-store.ts';
import { type Command, command } from '../parts/command.ts';
import { withStore } from '../parts/command-database.ts';
import { notFound } from '../parts/exit-codes.ts';
import { option, usually, word } from '../parts/option.ts';
import { id, lifetime, name, someOf, whole } from '../parts/value-kinds.ts';

export const tokenCommands: readonly Command[] = [
  command({
    name: 'token create',
    audit: 'tokens',
    sentence: 'Make a token; it is printed once, alone on the last line.',
    more: "Without --scopes it may do all that the first token may; a manager's, all that a manager may.",
    options: {
      account: usually(whole, '1', 'Of which account.'),
      manager: usually(
        whole,
        '0',
        "Of which manager, whose channels alone it sees; 0 for the account's own.",
      ),
      name: option(name, 'What it is for, for who reads the list.'),
      'expires-in': option(lifetime, 'How long it is good, such as 90m, 12h, 30d or 4w.'),
      scopes: option(someOf(scopes, 'scope'), `What it may do, of ${scopes.join(', ')}.`),
    },
    examples: [
      'token create --name "the shop" --scopes channels:read,videos:read --expires-in 30d',
    ],
    run: async (given, run) => {
      const { account: account_id, manager: manager_id, name = '', 'expires-in': lasts } = given;
      const now = Date.now();
      const whole = manager_id === 0 ? scopes : managerScopes;
      const order = {
        ...{ account_id, manager_id, name, now },
        scopes: given.scopes ?? whole,
        expires_at: lasts === undefined ? null : now + lasts,
      };
      const { id, token } = await withStore(run, async (store) => {
        await store.perform(createFirstAccount, { now });
        return await store.perform(createToken, order);
      });
      const { out, config } = run;
      if (out.isJson) {
        const expires_at = lasts === undefined ? '' : config.zone.dateTime(now + lasts);
        const { scopes } = order;
        await out.line({ id, account_id, manager_id, scopes, expires_at, token });
      } else {
        await out.remark(tokenRemark(id, order, whole));
        await out.text(token);
      }
    },
  }),
  command({
    name: 'token list',
    audit: 'nothing',
    sentence: 'Every token, without its text.',
    run: async (_, run) => {
      const rows = await withStore(run, async (store) => await listTokens(store));
      const time = (at: number | null) => (at === null ? '' : run.config.zone.dateTime(at));
      const shown = rows.map((row) => ({
        ...row,
        scopes: row.scopes.split(' '),
        created_at: time(row.created_at),
        expires_at: time(row.expires_at),
        revoked_at: time(row.revoked_at),
      }));
      await run.out.all(shown, [
        'id',
        'account_id',
        'manager_id',
        'name',
        'created_at',
        'expires_at',
        'revoked_at',
        'scopes',
      ]);
    },
  }),
  command({
    name: 'token revoke',
    audit: 'tokens',
    sentence: 'End a token at once.',
    words: { id: word(id, 'the token id', 'Which token; token list says which there are.') },
    examples: ['token revoke 4'],
    run: async ({ id }, run) => {
      const revoked = await withStore(run, (store) =>
        store.perform(revokeToken, { id, now: Date.now() }),
      );
      if (!revoked) throw notFound(`there is no token ${id} that could be revoked`);
      await run.out.thing({ id, revoked: true });
    },
  }),
];

/** Which it is, and what it may do less than the first. */
function tokenRemark(
  id: number,
  { account_id, scopes: given }: { account_id: number; scopes: readonly Scope[] },
  whole: readonly Scope[],
): string {
  const missing = whole.filter((scope) => !given.includes(scope));
  const lacks = missing.length === 0 ? '' : `; it lacks ${missing.join(', ')}`;
  return `token ${id} of account ${account_id}, scopes ${given.join(', ')}${lacks}; it is not shown again:`;
}
