// `footlight token create|list|revoke`.
import { type Scope, scopes } from '../base/api/caller.ts';
import { createFirstAccount } from '../library/access/account-store.ts';
import { usualScopes } from '../library/access/token.ts';
import { createToken, listTokens, revokeToken } from '../library/access/token-store.ts';
import {
  type Command,
  lifetimeMs,
  nameText,
  oneId,
  printLine,
  readOptions,
  UsageError,
  wholeNumber,
  withStore,
} from './command.ts';

export const tokenCommands: Command[] = [
  {
    name: 'token create',
    audit: 'tokens',
    usage:
      'token create [--account N] [--manager N] [--name TEXT] [--expires-in 30d] [--scopes a,b]',
    sentence: `Make a token; it is printed once, alone on the last line. Scopes: ${scopes.join(', ')}; all but manage by default.`,
    run: async (words, config) => {
      const { options } = readOptions(words, [
        'account',
        'manager',
        'name',
        'expires-in',
        'scopes',
      ]);
      const now = Date.now();
      const order = {
        account_id: wholeNumber(options.account ?? '1', '--account'),
        manager_id: wholeNumber(options.manager ?? '0', '--manager'),
        name: options.name === undefined ? '' : nameText(options.name, '--name'),
        scopes: readScopes(options.scopes),
        now,
        expires_at:
          options['expires-in'] === undefined
            ? null
            : now + lifetimeMs(options['expires-in'], '--expires-in'),
      };
      const { id, token } = await withStore(config, async (store) => {
        await store.perform(createFirstAccount, { now });
        return await store.perform(createToken, order);
      });
      console.error(
        `token ${id} of account ${order.account_id}, scopes ${order.scopes.join(', ')}; it is not shown again:`,
      );
      console.log(token);
      return 0;
    },
  },
  {
    name: 'token list',
    audit: 'nothing',
    usage: 'token list',
    sentence: 'Every token, one JSON line each, without its text.',
    run: async (words, config) => {
      readOptions(words, []);
      for (const row of await withStore(config, listTokens)) {
        const time = (at: number | null) => (at === null ? '' : config.zone.dateTime(at));
        printLine({
          ...row,
          scopes: row.scopes.split(' '),
          created_at: time(row.created_at),
          expires_at: time(row.expires_at),
          revoked_at: time(row.revoked_at),
        });
      }
      return 0;
    },
  },
  {
    name: 'token revoke',
    audit: 'tokens',
    usage: 'token revoke ID',
    sentence: 'End a token at once.',
    run: async (words, config) => {
      const number = oneId(words, 'the token id');
      const revoked = await withStore(config, (store) =>
        store.perform(revokeToken, { id: number, now: Date.now() }),
      );
      if (!revoked) throw new Error(`there is no token ${number} that could be revoked`);
      printLine({ id: number, revoked: true });
      return 0;
    },
  },
];

function readScopes(text: string | undefined): readonly Scope[] {
  if (text === undefined) return usualScopes;
  return text.split(',').map((word) => {
    const scope = scopes.find((one) => one === word.trim());
    if (!scope) throw new UsageError(`there is no scope "${word}"; there are ${scopes.join(', ')}`);
    return scope;
  });
}
