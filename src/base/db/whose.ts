// The owner of a call of the database: a caller waits behind its own calls.
import { busy } from '../api/errors.ts';
import { networkOf } from '../lib/network.ts';
import type { FairLines, InLine } from '../turns/fair-lines.ts';
import { shareOf } from '../turns/share.ts';

/** Calls that wait for a worker or a connection before new ones are refused. */
const waitingMax = 10_000;

/** What the service does of its own accord: no share holds for it. */
export const service = '';

export function ofService(): string {
  return service;
}

export function ofAccount({ account_id }: { account_id: number }): string {
  return `account ${account_id}`;
}

/** Of an account; the command line names none, and is the service's own. */
export function ofNamed({ account_id }: { account_id?: number | undefined }): string {
  return account_id === undefined ? ofService() : ofAccount({ account_id });
}

export function ofOwner({ owner }: { owner: { account_id: number } }): string {
  return ofAccount(owner);
}

/** What strangers ask for: pages, recordings, whether a token is one. An address is not known once it has left. */
export function ofNetwork(address: string): string {
  return networkOf(address) || 'an unknown network';
}

/** What viewers bring about: rooms know their channel alone, and have bounds for what viewers send. */
export function ofChannel({ channel_id }: { channel_id: number }): string {
  return `channel ${channel_id}`;
}

/** Networks have one turn and one share among them, however many come; an account or a channel has its own. */
export function groupOf(whose: string): string {
  return whose === service || /^(account|channel) /.test(whose) ? whose : 'strangers';
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
  waiting: Pick<FairLines<InLine>, 'size' | 'waitingOf' | 'waitingIn'>,
  { whose, onRefused }: { whose: string; onRefused: OnRefused | undefined },
): void {
  const isFull = waiting.size >= waitingMax;
  if (!isFull && (whose === service || waiting.waitingOf(whose) < shareIn(waiting, whose))) return;
  onRefused?.(isFull ? 'full' : 'share', whose);
  throw busy(
    isFull
      ? 'Too many calls wait for the database'
      : 'Too many of your calls wait for the database; try again when some are answered',
  );
}

/** Of those that may wait, those of `whose`: what its group has, or a part of it. */
function shareIn(
  waiting: Pick<FairLines<InLine>, 'size' | 'waitingOf' | 'waitingIn'>,
  whose: string,
) {
  const group = groupOf(whose);
  const inGroup = waiting.waitingIn(group);
  const share = shareOf(waitingMax, waiting.size - inGroup);
  return group === whose ? share : shareOf(share, inGroup - waiting.waitingOf(whose));
}
