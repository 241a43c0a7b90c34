// How often a channel, and an account, may begin a push: each is a playlist, a recording and jobs, and costs its encoder nothing.
import { Allowances } from '../../base/peers/allowance.ts';
import type { RefusalBook } from '../../base/peers/refusals.ts';
import type { LiveChannel } from './live-stream.ts';

export interface PushPaceOptions {
  /** So many at once, then evenly so many a minute. */
  perMinute: number;
  /** The same of all channels of an account. */
  accountPerMinute: number;
  refusals: RefusalBook<'often' | 'account_often'>;
}

/** The channel must wait; the sentence is for the encoder. */
export class PushedTooOften extends Error {}

const minuteMs = 60_000;

/** Kept in memory: who starts after a kill is not refused for what was before it. */
export class PushPace {
  private readonly options: PushPaceOptions;

  private readonly ofChannels: Allowances;
  private readonly ofAccounts: Allowances;

  constructor(options: PushPaceOptions) {
    this.options = options;
    this.ofChannels = new Allowances(rateOf(options.perMinute));
    this.ofAccounts = new Allowances(rateOf(options.accountPerMinute));
  }

  /** A push begins that goes on with no other; throws PushedTooOften. */
  begin({ id, account_id }: Pick<LiveChannel, 'id' | 'account_id'>, atMs: number): void {
    const { perMinute, accountPerMinute, refusals } = this.options;
    // Whole numbers: a minute is divided here, and a rest of it must refuse nobody.
    const at = Math.floor(atMs);
    const channel = `channel ${id}`;
    const account = `account ${account_id}`;
    const channelWaitMs = this.ofChannels.waitMs(channel, at);
    if (channelWaitMs > 0) {
      refusals.note('often', channel);
      throw tooOften('This channel', perMinute, channelWaitMs);
    }
    const accountWaitMs = this.ofAccounts.waitMs(account, at);
    if (accountWaitMs > 0) {
      refusals.note('account_often', account);
      throw tooOften('This account', accountPerMinute, accountWaitMs);
    }
    this.ofChannels.take(channel, at);
    this.ofAccounts.take(account, at);
  }
}

function rateOf(perMinute: number) {
  return { atOnce: perMinute, everyMs: Math.floor(minuteMs / perMinute) };
}

function tooOften(who: string, perMinute: number, waitMs: number): PushedTooOften {
  const seconds = Math.ceil(waitMs / 1000);
  return new PushedTooOften(
    `${who} may begin ${perMinute} pushes a minute; try again in ${seconds} s`,
  );
}
