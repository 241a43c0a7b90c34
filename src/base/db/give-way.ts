// A command that writes much lets the service write in between.
import type { Sql } from './sql.ts';

/** A write that waits for SQLite's lock asks for it every few milliseconds, and must find it free. */
const giveWayMs = 10;

/** Between two transactions. PostgreSQL has no lock on all of it. */
export async function letOthersWrite({ dialect }: Pick<Sql, 'dialect'>): Promise<void> {
  if (dialect === 'sqlite') await Bun.sleep(giveWayMs);
}
