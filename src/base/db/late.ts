// A call whose time is over: the database was slow, or the caller's own calls stood before it.
import { ApiError, busy } from '../api/errors.ts';
import type { FairLines, InLine } from '../turns/fair-lines.ts';
import type { Holders } from './holders.ts';
import { type OnRefused, service } from './whose.ts';

export class Late extends ApiError {
  constructor() {
    const message = 'The database did not answer in time; try again';
    super('unavailable', { message, headers: { 'Retry-After': '2' } });
  }
}

/** A call as far as its lateness has an owner. */
export interface Asked extends InLine {
  /** Whether others of its own waited or ran when it came: then its time went to them. */
  isBehindOwn: boolean;
}

export function asked(
  whose: string,
  { waiting, holders }: { waiting: Pick<FairLines<InLine>, 'waitingOf'>; holders: Holders },
): Asked {
  // Of a network it is not known what runs: networks hold connections together.
  const hasOwn = waiting.waitingOf(whose) > 0 || holders.has(whose);
  return { whose, isBehindOwn: whose !== service && hasOwn };
}

/** What its caller is told. A caller that waited behind its own calls asked for too much: nothing is broken. */
export function lateError(
  { whose, isBehindOwn }: Asked,
  onRefused: OnRefused | undefined,
): ApiError {
  if (!isBehindOwn) return new Late();
  onRefused?.('late', whose);
  return busy('Your own calls before it took its time; try again when some are answered');
}
