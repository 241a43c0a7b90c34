// A room's playbill: the channel's name and the start of the show, as its owner last set them.
import type { Sql } from '../../base/db/sql.ts';
import type { PlaceLanguage } from '../../library/access/account-store.ts';
import { readPage } from '../../library/channels/page.ts';
import { watchedPage } from '../../library/channels/watched-channel-store.ts';
import type { Playbill, ServiceMessage } from '../protocol/messages.ts';

export interface RoomPlaybillOptions {
  channel_id: number;
  sql: Sql;
  publish(message: ServiceMessage): void;
}

export class RoomPlaybill {
  private readonly options: RoomPlaybillOptions;

  private known: Playbill | undefined;
  /** In which records of the channel say where a viewer is. */
  placeLanguage: PlaceLanguage = 'en';

  constructor(options: RoomPlaybillOptions) {
    this.options = options;
  }

  /** Reads it where it is not known yet; false where there is no such channel. */
  async open(): Promise<boolean> {
    if (!this.known) await this.refreshFromDatabase();
    return this.known !== undefined;
  }

  /** `playbill` of a welcome; nobody is welcome before it is known. */
  get shown(): Playbill {
    if (!this.known) throw new Error('the playbill was not read before it was shown');
    return this.known;
  }

  /** Tells the pages what was changed since it was last read, by whomever; false where there is no such channel. */
  async refreshFromDatabase(): Promise<boolean> {
    const { sql, channel_id, publish } = this.options;
    const channel = await watchedPage(sql, channel_id);
    if (!channel) return false;
    const { name, place_language } = channel;
    this.placeLanguage = place_language;
    const { start_time } = readPage(channel.page);
    const { known } = this;
    this.known = { name, start_time };
    const isChanged = known && (known.name !== name || known.start_time !== start_time);
    if (isChanged) publish({ type: 'playbill', playbill: this.known });
    return true;
  }
}
