// Places for answers in pieces: fair by account and by manager in it; one of which nothing is taken makes room.
import type { Owner } from '../../base/api/caller.ts';
import { busy } from '../../base/api/errors.ts';
import type { Pieces } from '../../base/api/pieces.ts';
import { Counts } from '../../base/lib/counts.ts';
import type { InLine } from '../../base/turns/fair-lines.ts';
import { FairPlaces } from '../../base/turns/fair-places.ts';
import { Share, shareOf } from '../../base/turns/share.ts';
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
  /** By manager, and by an account's own side. */
  private readonly counts = new Counts<string>();
  private readonly taken = new Set<ExportPlace>();
  private readonly pieces = new FairPlaces({
    placesMax: httpLimits.exportPiecesMax,
    groupOf: accountIn,
  });

  constructor(options: ExportPlacesOptions) {
    this.options = options;
    this.share = new Share({ placesMax: options.bounds.exportsMax });
  }

  /** Throws where there is none for the account, or for the manager in it. */
  take(owner: Owner): ExportPlace {
    const { refusals, now } = this.options;
    const whose = nameOf(owner);
    let refusal = this.refusal(owner);
    if (refusal) {
      this.makeRoom(roomOf[refusal](whose));
      refusal = this.refusal(owner);
    }
    if (refusal) {
      refusals.note(refusal, accountIn(whose));
      throw busy(this.sentences[refusal]);
    }
    const place = new ExportPlace(whose, {
      pieces: this.pieces,
      now,
      onLeave: (left) => this.leave(left),
    });
    this.share.take(accountIn(whose));
    this.counts.add(whose);
    this.taken.add(place);
    return place;
  }

  private refusal(owner: Owner): Refusal | undefined {
    const whose = nameOf(owner);
    const refusal = this.share.refusal(accountIn(whose));
    if (refusal) return refusal === 'full' ? 'export' : 'export_account';
    // An account's own side runs the managers: what there is for the account is for it.
    if (owner.manager_id === 0) return undefined;
    const { share, counts } = this;
    const ofAccount = share.takenBy(accountIn(whose));
    const accountMax = shareOf(this.options.bounds.exportsMax, share.taken - ofAccount);
    const own = counts.of(whose);
    return own < shareOf(accountMax, ofAccount - own) ? undefined : 'export_manager';
  }

  private get sentences(): Readonly<Record<Refusal, string>> {
    return {
      export: `${this.options.bounds.exportsMax} exports are under way already; try again`,
      export_account: 'The account has its share of exports under way; try again',
      export_manager: "The manager has their share of the account's exports under way; try again",
    };
  }

  /** Of those that it may be one of. */
  private makeRoom(mayGo: (whose: string) => boolean): void {
    const silentSince = this.options.now() - this.options.bounds.exportStallMs;
    let stalled: ExportPlace | undefined;
    for (const place of this.taken) {
      if (!mayGo(place.whose)) continue;
      const isFirst = place.madeAt < (stalled?.madeAt ?? Number.POSITIVE_INFINITY);
      if (place.madeAt <= silentSince && isFirst) stalled = place;
    }
    if (!stalled) return;
    this.options.refusals.note('export_stalled', accountIn(stalled.whose));
    stalled.breakOff();
  }

  private leave(place: ExportPlace): void {
    if (!this.taken.delete(place)) return;
    this.share.leave(accountIn(place.whose));
    this.counts.remove(place.whose);
    this.pieces.giveUp(place);
  }
}

type Refusal = 'export' | 'export_account' | 'export_manager';

/** Whose stalled ones make room where there is no place for somebody. */
const roomOf: Record<Refusal, (whose: string) => (other: string) => boolean> = {
  export: () => () => true,
  export_account: (whose) => (other) => accountIn(other) === accountIn(whose),
  export_manager: (whose) => (other) => other === whose,
};

function nameOf({ account_id, manager_id }: Owner): string {
  const account = `account ${account_id}`;
  return manager_id === 0 ? account : `${account}, manager ${manager_id}`;
}

function accountIn(whose: string): string {
  return whose.split(',', 1)[0] as string;
}

/** One answer's. */
export class ExportPlace implements InLine {
  /** The account's own side, or a manager of it. */
  readonly whose: string;
  private readonly given: {
    pieces: FairPlaces;
    now: () => number;
    onLeave(place: ExportPlace): void;
  };

  private readonly ending = new AbortController();
  /** Since when the last piece waits to be taken, or the first to be asked for; while one is made it is our turn. */
  madeAt: number;

  constructor(whose: string, given: ExportPlace['given']) {
    this.whose = whose;
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
