// Which node has the stream of a play address, for whoever plays there: looked up a few at once, and nothing looked up again at once.
import type { Store } from '../../base/db/sql.ts';
import { ofNetwork } from '../../base/db/whose.ts';
import { networkOf } from '../../base/lib/network.ts';
import { RecentMap } from '../../base/lib/recent-map.ts';
import { FairPlaces } from '../../base/turns/fair-places.ts';
import { type StreamPlace, streamPlace } from '../live/push-holder-store.ts';
import { rtmpLimits } from '../rtmp/rtmp-limits.ts';

/** As for keys of publishers. */
const lookUpsMax = rtmpLimits.lookUpsMax;
/** That an address shows nothing is believed for so long: whoever asks for it again and again asks no database. */
const absentMs = 1_000;
const absentMax = 10_000;

export class StreamPlaces {
  private readonly store: Store;
  private readonly monotonicMs: () => number;

  /** By play address: look-ups under way. */
  private readonly looks = new Map<string, Promise<StreamPlace | undefined>>();
  /** Networks take turns: anybody may ask for any address. */
  private readonly turns = new FairPlaces({ placesMax: lookUpsMax });
  private readonly absent = new RecentMap<string, number>({ max: absentMax });

  constructor({ store, monotonicMs }: { store: Store; monotonicMs: () => number }) {
    this.store = store;
    this.monotonicMs = monotonicMs;
  }

  /** Nothing was there just now. */
  isAbsent(playId: string): boolean {
    const since = this.absent.get(playId);
    return since !== undefined && this.monotonicMs() - since < absentMs;
  }

  /** Undefined where nobody pushes. Of a crowd that comes for one stream the first asks. */
  async find(playId: string, address: string): Promise<StreamPlace | undefined> {
    if (this.isAbsent(playId)) return undefined;
    const underWay = this.looks.get(playId);
    if (underWay) return await underWay;
    const look = this.look(playId, address).finally(() => this.looks.delete(playId));
    this.looks.set(playId, look);
    return await look;
  }

  private async look(playId: string, address: string): Promise<StreamPlace | undefined> {
    const sql = this.store.for(ofNetwork(address));
    const whose = networkOf(address);
    const place = await this.turns.run({ whose }, () => streamPlace(sql, playId));
    if (!place) this.absent.set(playId, this.monotonicMs());
    return place;
  }
}
