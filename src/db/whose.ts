// Whose a call of the database is: who waits, waits behind its own.
import { busy } from '../lib/errors.ts';
import type { FairLines, InLine } from '../lib/fair-lines.ts';
import { shareOf } from '../lib/share.ts';

/** Calls that wait for a worker or a connection before new ones are refused. */
const waitingMax = 10_000;

/** What the service does of its own accord, and point reads, which are short: no share holds for it. */
export const service = '';

export function ofService(): string {
  return service;
}

export function ofAccount({ account_id }: { account_id: number }): string {
  return `account ${account_id}`;
}

export function ofOwner({ owner }: { owner: { account_id: number } }): string {
  return ofAccount(owner);
}

/** What viewers bring about: rooms know their channel alone, and have bounds for what viewers send. */
export function ofChannel({ channel_id }: { channel_id: number }): string {
  return `channel ${channel_id}`;
}

/** Why a call may not even wait; what `/metrics` counts and an operator reads. */
export const databaseRefusals = {
  full: 'As many calls wait for the database as may',
  share: 'Its calls have their share of those that wait for the database',
  late: 'Its own calls before it took its time',
} as const;

export type DatabaseRefusal = keyof typeof databaseRefusals;

export type OnRefused = (reason: DatabaseRefusal, whose: string) => void;

/** Throws where `whose` may not have another call waiting. */
export function checkRoom(
  waiting: Pick<FairLines<InLine>, 'size' | 'waitingOf'>,
  { whose, onRefused }: { whose: string; onRefused: OnRefused | undefined },
): void {
  const own = waiting.waitingOf(whose);
  const others = waiting.size - own;
  const isFull = waiting.size >= waitingMax;
  if (!isFull && (whose === service || own < shareOf(waitingMax, others))) return;
  onRefused?.(isFull ? 'full' : 'share', whose);
  throw busy(
    isFull
      ? 'Too many calls wait for the database'
      : 'Too many of your calls wait for the database; try again when some are answered',
  );
}
