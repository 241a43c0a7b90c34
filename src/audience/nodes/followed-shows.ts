// Shows that other nodes have on, for the rooms of this one: on air by the rows, so that whoever watches here is counted alike.
import type { Sql } from '../../base/db/sql.ts';
import { Show } from '../../stream/live/show.ts';
import { latestShow, readAnchors, type ShowRow } from '../../stream/live/show-store.ts';

export interface FollowedShowsOptions {
  sql: Sql;
  /** The show that is on from an instant on, or none any more. */
  onShow(channel_id: number, show: Show | undefined, at: number): void;
}

export class FollowedShows {
  private readonly options: FollowedShowsOptions;

  /** By channel, the show that is this node's own: its river knows more than the rows. */
  private readonly own = new Map<number, Show>();
  /** By channel, when the last show began that this node ended itself: its row may not say so yet. */
  private readonly endedHere = new Map<number, number>();
  /** By channel, the show that is on elsewhere. */
  private readonly shows = new Map<number, Show>();

  constructor(options: FollowedShowsOptions) {
    this.options = options;
  }

  /** This node's river has the channel's show from here on. */
  begun(channel_id: number, show: Show): void {
    this.shows.delete(channel_id);
    this.own.set(channel_id, show);
  }

  /** It is over. */
  ended(channel_id: number): void {
    const show = this.own.get(channel_id);
    this.own.delete(channel_id);
    if (show) this.endedHere.set(channel_id, show.begin);
  }

  /** It goes on elsewhere, by the rows from here on, also where nobody looks at them. */
  moved(channel_id: number, at: number): void {
    const own = this.own.get(channel_id);
    this.own.delete(channel_id);
    if (!own) return;
    const show = Show.onElsewhere(own.begin, own.anchors);
    this.shows.set(channel_id, show);
    this.options.onShow(channel_id, show, at);
  }

  /** At what the rows say of a channel that has a room here. */
  async look(channel_id: number): Promise<void> {
    if (this.own.has(channel_id)) return;
    const row = await latestShow(this.options.sql, channel_id);
    // It may have become this node's own meanwhile.
    if (row && !this.own.has(channel_id)) this.take(row);
  }

  /** Nobody looks at what has no room any more: whoever comes looks anew. */
  forget(isWatched: (channel_id: number) => boolean, at: number): void {
    for (const channel_id of this.endedHere.keys())
      if (!isWatched(channel_id)) this.endedHere.delete(channel_id);
    for (const channel_id of [...this.shows.keys()]) {
      if (isWatched(channel_id)) continue;
      this.shows.delete(channel_id);
      this.options.onShow(channel_id, undefined, at);
    }
  }

  private take(row: ShowRow): void {
    const { channel_id, begin_at, end_at } = row;
    if (end_at === null && this.endedHere.get(channel_id) === begin_at) return;
    this.endedHere.delete(channel_id);
    const known = this.shows.get(channel_id);
    if (known?.begin === begin_at) {
      known.anchors.push(...readAnchors(row.anchors).slice(known.anchors.length));
      if (end_at !== null) this.end(known, row, end_at);
      return;
    }
    // One that was over before anybody came here is no news.
    if (end_at !== null && !known) return;
    if (known) this.end(known, { ...row, media_ms: known.mediaMs }, begin_at);
    if (end_at !== null) return;
    const show = Show.onElsewhere(begin_at, readAnchors(row.anchors));
    this.shows.set(channel_id, show);
    this.options.onShow(channel_id, show, begin_at);
  }

  private end(show: Show, { channel_id, media_ms }: ShowRow, at: number): void {
    show.mediaMs = media_ms;
    this.shows.delete(channel_id);
    this.options.onShow(channel_id, undefined, at);
  }
}
