// The secret that an account signs its watch links with, in the database.
import { ApiError } from '../../base/api/errors.ts';
import { type Sql, write } from '../../base/db/sql.ts';
import { ofAccount } from '../../base/db/whose.ts';
import { randomText } from '../../base/lib/secret.ts';

const secretBits = 256;

export async function viewerSecretOf(sql: Sql, account_id: number): Promise<string> {
  const row = await sql.one<{ viewer_secret: string }>(
    'SELECT viewer_secret FROM accounts WHERE id = $1',
    [account_id],
  );
  return row?.viewer_secret ?? noAccount(account_id);
}

/** A new one, which is returned: links that were signed with the old one are wrong from now on. */
export const rotateViewerSecret = write(
  'viewers.rotateSecret',
  ofAccount,
  async (sql, { account_id }: { account_id: number }): Promise<string> => {
    const row = await sql.one<{ viewer_secret: string }>(
      'UPDATE accounts SET viewer_secret = $2 WHERE id = $1 RETURNING viewer_secret',
      [account_id, randomText(secretBits)],
    );
    return row?.viewer_secret ?? noAccount(account_id);
  },
);

function noAccount(account_id: number): never {
  throw new ApiError('noUser', { message: `No account ${account_id}` });
}
