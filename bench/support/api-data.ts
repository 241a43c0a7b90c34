// The rows that `bench api` reads: an account with many channels, and another that makes new ones.
import { type AnyOperation, write } from '../../src/base/db/sql.ts';
import { openCommandStore } from '../../src/base/db/store.ts';
import { createAccount, createFirstToken } from '../../src/library/access/account-store.ts';
import { createManager } from '../../src/library/access/manager-store.ts';
import { usualScopes } from '../../src/library/access/token.ts';
import { createToken } from '../../src/library/access/token-store.ts';
import { createChannel } from '../../src/library/channels/channel-store.ts';

export interface ApiCounts {
  channels: number;
  /** Tokens of callers. */
  readers: number;
}

export interface ApiTokens {
  /** Of the account whose channels are read. */
  readers: string[];
  /** Of the account that channels are created in, so that the list stays as it is. */
  creator: string;
}

/** Noon of an ordinary day: the same on both engines. */
const now = Date.UTC(2026, 4, 4, 12, 0, 0);

/** Fills an empty database; one commit. */
export async function seedApi(
  place: { dataDir: string; databaseUrl: string },
  { channels, readers }: ApiCounts,
): Promise<ApiTokens> {
  const deadlineMs = 60_000;
  const settings = { ...place, deadlineMs, connectionsMax: 1 };
  const store = await openCommandStore(settings, [seed as AnyOperation]);
  try {
    return await store.perform(seed, { channels, readers });
  } finally {
    await store.close();
  }
}

const seed = write('bench.seedApi', async (sql, counts: ApiCounts): Promise<ApiTokens> => {
  const first = await createFirstToken.run(sql, { now });
  if (first === undefined) throw new Error('the database was not empty');
  const tokenOf = async (account_id: number) => {
    const owner = { account_id, manager_id: 0, name: 'bench' };
    const order = { ...owner, scopes: usualScopes, now, expires_at: null };
    return (await createToken.run(sql, order)).token;
  };
  const another = await createAccount.run(sql, { name: 'creator', plan: 'traffic', now });
  const creator = await tokenOf(another);
  const readers = [first];
  while (readers.length < counts.readers) readers.push(await tokenOf(1));
  const manager = await createManager.run(sql, { account_id: 1, username: 'anna', now });
  for (let n = 1; n <= counts.channels; n++) {
    await createChannel.run(sql, {
      owner: { account_id: 1, manager_id: 0 },
      name: `Spring launch, part ${n}`,
      manager_id: n % 2 === 0 ? manager : 0,
      page: { set: n % 2 === 0 ? dressedPage : { start_time: now }, clear: [] },
      now: now + n * 1_000,
      idempotency: undefined,
    });
  }
  return { readers, creator };
});

/** Half of the channels have a page that someone has dressed. */
const dressedPage = {
  start_time: now,
  pc_logo: 'https://cdn.example.com/logos/spring-desktop.png',
  mobile_logo: 'https://cdn.example.com/logos/spring-mobile.png',
  banner: 'https://cdn.example.com/banners/spring.jpg',
  cover_image: 'https://cdn.example.com/covers/spring.jpg',
  footer: '© 2026 Example Ltd.',
};
