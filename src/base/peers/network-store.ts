// Networks that an operator has allowed: limits by network do not hold for them.
import { read, write } from '../db/sql.ts';

export interface AllowedNetwork {
  /** An address, or a network such as 192.0.2.0/24. */
  network: string;
  note: string;
  created_at: number;
}

export const allowNetwork = write('peers.allowNetwork', async (sql, given: AllowedNetwork) => {
  const { network, note, created_at } = given;
  await sql.run(
    `INSERT INTO allowed_networks (network, note, created_at) VALUES ($1, $2, $3)
     ON CONFLICT (network) DO UPDATE SET note = excluded.note`,
    [network, note, created_at],
  );
});

/** Whether it was allowed. */
export const disallowNetwork = write(
  'peers.disallowNetwork',
  async (sql, { network }: { network: string }): Promise<boolean> =>
    (await sql.run('DELETE FROM allowed_networks WHERE network = $1', [network])) === 1,
);

export const listNetworks = read(
  'peers.listNetworks',
  async (sql, _: Record<string, never>): Promise<AllowedNetwork[]> =>
    await sql.all<AllowedNetwork>(
      'SELECT network, note, created_at FROM allowed_networks ORDER BY network',
    ),
);
