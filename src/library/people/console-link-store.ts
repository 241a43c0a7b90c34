// One-time links in the database: made, looked at, used once.
import { ApiError } from '../../base/api/errors.ts';
import { dialectWords } from '../../base/db/dialect.ts';
import { read, type Sql, telling, where, write } from '../../base/db/sql.ts';
import { ofAccount, ofNamed, ofNetwork } from '../../base/db/whose.ts';
import { createFirstAccount } from '../access/account-store.ts';
import { keptTotal } from '../access/total-store.ts';
import { createChannel } from '../channels/channel-store.ts';
import type { LinkPurpose } from './console-link.ts';
import { hashConsoleSecret, makeConsoleSecret } from './console-secret.ts';
import { addSession, type NewSession } from './console-session-store.ts';
import {
  addPerson,
  lockAccount,
  type NamedPerson,
  namedPerson,
  type OfPeople,
  ownSideCount,
  peopleCount,
  setPassword,
} from './person-store.ts';
import { signInLimits } from './sign-in-limits.ts';

/** A link's secret is in the answer and nowhere else. */
export interface MadeLink {
  id: number;
  secret: string;
  expires_at: number;
}

interface InviteOrder {
  account_id: number;
  /** 0: for the account's own side. */
  manager_id: number;
  /** Whom it is for; may be empty. */
  name: string;
  now: number;
}

/** Whoever opens it becomes a person of the account. */
export const invitePerson = telling(
  { made: ({ id }, { name }) => ({ kind: 'invitation', id, name }) },
  write('people.invite', ofAccount, async (sql, order: InviteOrder): Promise<MadeLink> => {
    await lockAccount(sql, order.account_id);
    if (order.manager_id !== 0) await checkManager(sql, order);
    await checkPlace(sql, order.account_id);
    const expires_at = order.now + signInLimits.inviteLinkMs;
    return await addLink(sql, { ...order, purpose: 'invite', person_id: 0, expires_at });
  }),
);

/** Asked where somebody is invited, and again where they come: invitations are more than places may be. */
async function checkPlace(sql: Sql, account_id: number): Promise<void> {
  if ((await peopleCount(sql, account_id)) >= signInLimits.peopleMax)
    throw new ApiError('noPermission', {
      message: `An account may have ${signInLimits.peopleMax} people`,
    });
}

/** A new password for a person; one that was asked for before is good no more. */
export const resetPerson = telling(
  { of: ({ person_id }) => ({ kind: 'person', id: person_id }) },
  write(
    'people.reset',
    ofNamed,
    async (sql, order: NamedPerson & { now: number }): Promise<MadeLink> => {
      const { account_id, manager_id } = await namedPerson(sql, order);
      await sql.run('DELETE FROM console_links WHERE person_id = $1', [order.person_id]);
      return await addLink(sql, {
        account_id,
        manager_id,
        purpose: 'reset',
        person_id: order.person_id,
        name: '',
        now: order.now,
        expires_at: order.now + signInLimits.resetLinkMs,
      });
    },
  ),
);

/** For who has the machine: another person of an account's own side, the first where there is none yet. */
export const makeConsoleLink = telling(
  { made: ({ id }) => ({ kind: 'invitation', id, name: '' }) },
  write(
    'people.consoleLink',
    async (sql, order: { account_id: number; now: number }): Promise<MadeLink> => {
      await createFirstAccount.run(sql, order);
      await lockAccount(sql, order.account_id);
      const isFirst = (await ownSideCount(sql, order.account_id)) === 0;
      return await addLink(sql, {
        ...order,
        manager_id: 0,
        purpose: isFirst ? 'first' : 'invite',
        person_id: 0,
        name: '',
        expires_at: order.now + signInLimits.firstLinkMs,
      });
    },
  ),
);

interface LinkOrder extends InviteOrder {
  purpose: LinkPurpose;
  person_id: number;
  expires_at: number;
}

async function addLink(sql: Sql, order: LinkOrder): Promise<MadeLink> {
  const { account_id, now, expires_at } = order;
  await sql.run(
    'DELETE FROM console_links WHERE account_id = $1 AND (expires_at <= $2 OR used_at IS NOT NULL)',
    [account_id, now],
  );
  const open = await sql.one<{ n: number }>(
    'SELECT COUNT(*) AS n FROM console_links WHERE account_id = $1',
    [account_id],
  );
  if ((open?.n ?? 0) >= signInLimits.openLinksMax)
    throw new ApiError('noPermission', {
      message: `An account may have ${signInLimits.openLinksMax} links that are open`,
    });
  const secret = makeConsoleSecret();
  const row = await sql.one<{ id: number }>(
    `INSERT INTO console_links
       (hash, purpose, account_id, manager_id, person_id, name, made_at, expires_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING id`,
    [
      hashConsoleSecret(secret),
      order.purpose,
      account_id,
      order.manager_id,
      order.person_id,
      order.name,
      now,
      expires_at,
    ],
  );
  return { id: row?.id ?? 0, secret, expires_at };
}

async function checkManager(sql: Sql, { account_id, manager_id }: InviteOrder): Promise<void> {
  const manager = await sql.one(
    `SELECT id FROM managers WHERE id = $1 AND account_id = $2 ${dialectWords(sql.dialect).forUpdate}`,
    [manager_id, account_id],
  );
  if (!manager) throw new ApiError('noUser', { message: `No such manager: ${manager_id}` });
}

export interface LinkRow {
  id: number;
  purpose: LinkPurpose;
  account_id: number;
  account_name: string;
  manager_id: number;
  manager_username: string | null;
  /** Of the person whose password it is; null where somebody is to be made. */
  user_name: string | null;
  person_name: string | null;
  /** Whom it was made for. */
  name: string;
  made_at: number;
  expires_at: number;
}

const selectLinks = `SELECT l.id, l.purpose, l.account_id, a.name AS account_name, l.manager_id,
  m.username AS manager_username, p.user_name, p.name AS person_name, l.name, l.made_at, l.expires_at
  FROM console_links l JOIN accounts a ON a.id = l.account_id
  LEFT JOIN managers m ON m.id = l.manager_id LEFT JOIN persons p ON p.id = l.person_id`;

/** A link that may be used, by its secret's hash; throws where it may not. */
export async function findLink(
  sql: Sql,
  { hash, now }: { hash: string; now: number },
): Promise<LinkRow> {
  const row = await sql.one<LinkRow>(
    `${selectLinks} WHERE l.hash = $1 AND l.used_at IS NULL AND l.expires_at > $2`,
    [hash, now],
  );
  if (!row) throw new ApiError('noLink');
  return row;
}

/** Invitations of an account, or of all, that wait to be used. */
export const openInvitations = read(
  'people.openInvitations',
  ofNamed,
  async (sql, { account_id, now }: OfPeople & { now: number }) => {
    const filter = where([
      "l.purpose <> 'reset'",
      'l.used_at IS NULL',
      ['l.expires_at > ?', now],
      ['l.account_id = ?', account_id],
    ]);
    return await sql.all<LinkRow>(`${selectLinks} ${filter.text} ORDER BY l.id`, filter.params);
  },
);

export const withdrawInvitation = write(
  'people.withdrawInvitation',
  ofAccount,
  async (sql, input: { account_id: number; id: number; now: number }) => {
    const withdrawn = await sql.run(
      `DELETE FROM console_links WHERE id = $1 AND account_id = $2 AND purpose <> 'reset'
       AND used_at IS NULL AND expires_at > $3`,
      [input.id, input.account_id, input.now],
    );
    if (withdrawn === 0) throw new ApiError('noLink');
  },
);

export interface LinkUse {
  hash: string;
  /** Of a person who is made; a reset needs none of it. */
  user_name: string;
  folded_user_name: string;
  name: string;
  password_hash: string;
  session: NewSession;
}

interface UsedLink {
  id: number;
  purpose: LinkPurpose;
  account_id: number;
  manager_id: number;
  person_id: number;
}

/** The channel that an account's first person finds in the console. */
const firstChannelName = 'My first show';

/** Makes the person, or the password, and signs them in. Of two at once one wins, and the other finds it used. */
export const useLink = telling(
  { person: ({ person_id }) => person_id },
  write(
    'people.useLink',
    ({ session }: LinkUse) => ofNetwork(session.address),
    async (sql, use: LinkUse): Promise<{ person_id: number; session_id: number }> => {
      const { now } = use.session;
      const link = await sql.one<UsedLink>(
        'SELECT id, purpose, account_id, manager_id, person_id FROM console_links WHERE hash = $1',
        [use.hash],
      );
      if (!link) throw new ApiError('noLink');
      await lockAround(sql, link);
      const isOurs = await sql.run(
        'UPDATE console_links SET used_at = $2 WHERE id = $1 AND used_at IS NULL AND expires_at > $2',
        [link.id, now],
      );
      if (isOurs === 0) throw new ApiError('noLink');
      const person_id =
        link.purpose === 'reset' ? await renew(sql, link, use) : await join(sql, link, use);
      return { person_id, session_id: await addSession(sql, person_id, use.session) };
    },
  ),
);

/** Account, manager, person, then links, as everybody locks them. What is gone has taken its links along. */
async function lockAround(sql: Sql, link: UsedLink): Promise<void> {
  const { forUpdate } = dialectWords(sql.dialect);
  await lockAccount(sql, link.account_id);
  const isThere = async (table: 'managers' | 'persons', id: number) =>
    id === 0 || (await sql.one(`SELECT id FROM ${table} WHERE id = $1 ${forUpdate}`, [id]));
  if (!(await isThere('managers', link.manager_id))) throw new ApiError('noLink');
  if (!(await isThere('persons', link.person_id))) throw new ApiError('noLink');
}

async function renew(sql: Sql, { person_id }: UsedLink, use: LinkUse): Promise<number> {
  const { password_hash } = use;
  if (!(await setPassword(sql, { person_id, password_hash, but: 0 }))) throw new ApiError('noLink');
  return person_id;
}

async function join(sql: Sql, link: UsedLink, use: LinkUse): Promise<number> {
  const { account_id, manager_id } = link;
  const { user_name, folded_user_name, name, password_hash } = use;
  const { now } = use.session;
  await checkPlace(sql, account_id);
  const person = { account_id, manager_id, user_name, folded_user_name, name, password_hash, now };
  const person_id = await addPerson(sql, person);
  if (manager_id === 0) await endFirstLinks(sql, account_id);
  if (link.purpose === 'first') await makeFirstChannel(sql, { account_id, now });
  return person_id;
}

/** Whoever comes next is not the first. */
async function endFirstLinks(sql: Sql, account_id: number): Promise<void> {
  await sql.run(
    "DELETE FROM console_links WHERE account_id = $1 AND purpose = 'first' AND used_at IS NULL",
    [account_id],
  );
}

async function makeFirstChannel(
  sql: Sql,
  { account_id, now }: { account_id: number; now: number },
): Promise<void> {
  const all = { account_id, kind: 'channels', part: 'account', part_id: 0 } as const;
  if ((await keptTotal(sql, all)) > 0) return;
  await createChannel.run(sql, {
    owner: { account_id, manager_id: 0 },
    name: firstChannelName,
    manager_id: 0,
    page: { set: {}, clear: [] },
    now,
    idempotency: undefined,
  });
}
