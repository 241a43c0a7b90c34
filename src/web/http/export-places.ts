// Places for answers in pieces: fair by account, and one of which nothing is taken makes room.
import { busy } from '../../base/api/errors.ts';
import type { Pieces } from '../../base/api/pieces.ts';
import type { InLine } from '../../base/turns/fair-lines.ts';
import { FairPlaces } from '../../base/turns/fair-places.ts';
import { Share } from '../../base/turns/share.ts';
import { type HttpBounds, httpLimits } from './http-limits.ts';
import type { HttpBook } from './http-refusals.ts';

export interface ExportPlacesOptions {
  refusals: HttpBook;
  bounds: Pick<HttpBounds, 'exportsMax' | 'exportStallMs'>;
  now: () => number;
}

export class ExportPlaces {
  private readonly options: ExportPlacesOptions;

  /** By account. */
  private readonly share: Share;
  private readonly taken = new Set<ExportPlace>();
  private readonly pieces = new FairPlaces({ placesMax: httpLimits.exportPiecesMax });

  constructor(options: ExportPlacesOptions) {
    this.options = options;
    this.share = new Share({ placesMax: options.bounds.exportsMax });
  }

  /** Throws where there is none for the account. */
  take(account_id: number): ExportPlace {
    const { refusals, bounds, now } = this.options;
    const account = `account ${account_id}`;
    let refusal = this.share.refusal(account);
    if (refusal) {
      this.makeRoom(refusal === 'share' ? account : undefined);
      refusal = this.share.refusal(account);
    }
    if (refusal === 'share') {
      refusals.note('export_account', account);
      throw busy('The account has its share of exports under way; try again');
    }
    if (refusal === 'full') {
      refusals.note('export', account);
      throw busy(`${bounds.exportsMax} exports are under way already; try again`);
    }
    const place = new ExportPlace(account, {
      pieces: this.pieces,
      now,
      onLeave: (left) => this.leave(left),
    });
    this.share.take(account);
    this.taken.add(place);
    return place;
  }

  /** Of the account, or of anybody. */
  private makeRoom(account: string | undefined): void {
    const silentSince = this.options.now() - this.options.bounds.exportStallMs;
    let stalled: ExportPlace | undefined;
    for (const place of this.taken) {
      if (account !== undefined && place.whose !== account) continue;
      const isFirst = place.madeAt < (stalled?.madeAt ?? Number.POSITIVE_INFINITY);
      if (place.madeAt <= silentSince && isFirst) stalled = place;
    }
    if (!stalled) return;
    this.options.refusals.note('export_stalled', stalled.whose);
    stalled.breakOff();
  }

  private leave(place: ExportPlace): void {
    if (!this.taken.delete(place)) return;
    this.share.leave(place.whose);
    this.pieces.giveUp(place);
  }
}

/** One answer's. */
export class ExportPlace implements InLine {
  /** The account's. */
  readonly whose: string;
  private readonly given: {
    pieces: FairPlaces;
    now: () => number;
    onLeave(place: ExportPlace): void;
  };

  private readonly ending = new AbortController();
  /** Since when the last piece waits to be taken, or the first to be asked for; while one is made it is our turn. */
  madeAt: number;

  constructor(account: string, given: ExportPlace['given']) {
    this.whose = account;
    this.given = given;
    this.madeAt = given.now();
  }

  /** Aborted where the place is wanted for another. */
  get signal(): AbortSignal {
    return this.ending.signal;
  }

  /** The same pieces, each made when it is its turn; when they are asked for is noted. */
  watched(nextPiece: Pieces): Pieces {
    return async () => {
      this.madeAt = Number.POSITIVE_INFINITY;
      const piece = await this.given.pieces.run(this, nextPiece);
      this.madeAt = this.given.now();
      return piece;
    };
  }

  breakOff(): void {
    this.leave();
    this.ending.abort();
  }

  leave(): void {
    this.given.onLeave(this);
  }
}
