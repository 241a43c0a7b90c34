// How many people an account may have, also where more were invited while there was room; on both engines.
import { expect, test } from 'bun:test';
import { engines } from '../../../test/support/engines.ts';
import { openTestStore } from '../../../test/support/store.ts';
import { write } from '../../base/db/sql.ts';
import { invitePerson, useLink } from './console-link-store.ts';
import { hashConsoleSecret } from './console-secret.ts';
import { signInLimits } from './sign-in-limits.ts';

const fill = write('test.fillPeople', async (sql, { count }: { count: number }) => {
  const rows = Array.from({ length: count }, (_, n) => `(1, 0, 'p${n}', 'p${n}', '', '', 0)`);
  await sql.run(
    `INSERT INTO persons (account_id, manager_id, user_name, folded_user_name, name, password_hash, made_at)
     VALUES ${rows.join(', ')}`,
  );
});
const leave = write('test.leave', async (sql) => {
  await sql.run("DELETE FROM persons WHERE user_name = 'p0'");
});

test.each(engines)(
  'the last place is taken once, and an invitation waits ($name)',
  async (engine) => {
    const store = await openTestStore(engine, [fill, leave]);
    try {
      const order = { account_id: 1, manager_id: 0, name: '', now: 0 };
      const invite = async () => (await store.perform(invitePerson, order)).secret;
      const [first, second] = [await invite(), await invite()];
      await store.perform(fill, { count: signInLimits.peopleMax - 1 });
      const use = async (secret: string, user_name: string) =>
        await store
          .perform(useLink, {
            hash: hashConsoleSecret(secret),
            user_name,
            folded_user_name: user_name,
            name: '',
            password_hash: '',
            session: {
              hash: user_name,
              address: '192.0.2.1',
              user_agent: '',
              now: 0,
              expires_at: 1,
            },
          })
          .then(
            () => 'in',
            (error) => error.kind,
          );
      expect(await use(first, 'ada')).toBe('in');
      expect(await use(second, 'bob')).toBe('noPermission');
      await store.perform(leave, undefined);
      expect(await use(second, 'bob')).toBe('in');
    } finally {
      await store.close();
    }
  },
);
