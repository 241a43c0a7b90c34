// Places for bodies that are long, those held in memory and those taken piece by piece: fair by account.
import { busy } from '../../base/api/errors.ts';
import { Share } from '../../base/turns/share.ts';
import type { HttpBook } from './http-refusals.ts';

export class UploadPlaces {
  private readonly refusals: HttpBook;
  private readonly placesMax: number;

  private readonly share: Share;

  constructor({ refusals, placesMax }: { refusals: HttpBook; placesMax: number }) {
    this.refusals = refusals;
    this.placesMax = placesMax;
    this.share = new Share({ placesMax });
  }

  /** Nobody waits for a place: Bun takes the body in meanwhile, so who waits holds as much as who works. */
  async run<T>(account_id: number, work: () => Promise<T>): Promise<T> {
    const account = `account ${account_id}`;
    const refusal = this.share.refusal(account);
    if (refusal) {
      this.refusals.note(refusal === 'share' ? 'upload_account' : 'upload', account);
      throw busy(
        refusal === 'share'
          ? 'The account has its share of uploads under way; try again'
          : `${this.placesMax} uploads are under way already; try again`,
      );
    }
    this.share.take(account);
    try {
      return await work();
    } finally {
      this.share.leave(account);
    }
  }
}
