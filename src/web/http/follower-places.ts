// Places for those who follow events: each holds a connection for hours, so they are few, and fair by account and by manager in it.
import type { Owner } from '../../base/api/caller.ts';
import { busy } from '../../base/api/errors.ts';
import { Counts } from '../../base/lib/counts.ts';
import { Share, shareOf } from '../../base/turns/share.ts';
import type { HttpBook } from './http-refusals.ts';

export class FollowerPlaces {
  private readonly refusals: HttpBook;
  private readonly placesMax: number;

  /** By account. */
  private readonly share: Share;
  /** By manager. */
  private readonly managers = new Counts<number>();

  constructor({ refusals, placesMax }: { refusals: HttpBook; placesMax: number }) {
    this.refusals = refusals;
    this.placesMax = placesMax;
    this.share = new Share({ placesMax });
  }

  /** Throws where there is none for the account, or for the manager in it. It is given back by what it returns. */
  take({ account_id, manager_id }: Owner): () => void {
    const account = `account ${account_id}`;
    const refusal = this.refusal(account, manager_id);
    if (refusal) {
      this.refusals.note(refusal, account);
      throw busy(sentences[refusal]);
    }
    this.share.take(account);
    this.managers.add(manager_id);
    let isLeft = false;
    return () => {
      if (isLeft) return;
      isLeft = true;
      this.share.leave(account);
      this.managers.remove(manager_id);
    };
  }

  private refusal(account: string, manager_id: number): keyof typeof sentences | undefined {
    const { share } = this;
    const refusal = share.refusal(account);
    if (refusal) return refusal === 'full' ? 'follower' : 'follower_account';
    // An account's own side runs the managers: what there is for the account is for it.
    if (manager_id === 0) return undefined;
    const ofAccount = share.takenBy(account);
    const accountMax = shareOf(this.placesMax, share.taken - ofAccount);
    const own = this.managers.of(manager_id);
    return own < shareOf(accountMax, ofAccount - own) ? undefined : 'follower_account';
  }
}

const sentences = {
  follower: 'As many follow events as may; try again',
  follower_account: 'The account has its share of those that follow events; try again',
} as const;
