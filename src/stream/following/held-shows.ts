// What is recorded of the show at a play address, as the node that has its push knows it.
import { unavailable } from '../../base/api/errors.ts';
import { ofAccount } from '../../base/db/whose.ts';
import { RecentMap } from '../../base/lib/recent-map.ts';
import type { Asking } from '../../base/links/asking.ts';
import { jsonCodec, linkTopic } from '../../base/links/link-topic.ts';
import type { LiveWindow } from '../playback/live-window.ts';
import type { HeldShow } from '../playback/show-sources.ts';
import type { RecordedShows } from '../recording/recorded-shows.ts';
import type { StreamPlaces } from './stream-places.ts';

const showTopic = linkTopic('show', {
  question: jsonCodec(readPlayId),
  answer: jsonCodec(readHeldShow),
});

/** As long as a player waits for a playlist. */
const askedWithinMs = 4_000;
/** What was told is believed for so long: a segment comes every two seconds. */
const believedMs = 1_000;
const toldMax = 10_000;

export interface HeldShowsOptions {
  shows: RecordedShows;
  windows: { find(playId: string): LiveWindow | undefined };
  /** Whether its push is this node's own. */
  isOn(playId: string): boolean;
  places: StreamPlaces;
  asking: Asking;
  monotonicMs: () => number;
}

interface Told {
  held: HeldShow;
  atMs: number;
}

export class HeldShows {
  private readonly options: HeldShowsOptions;

  /** By play address, what other nodes have told. */
  private readonly told = new RecentMap<string, Told>({ max: toldMax });
  /** Questions under way. */
  private readonly looks = new Map<string, Promise<HeldShow | undefined>>();

  /** Answers other nodes, too. */
  constructor(options: HeldShowsOptions) {
    this.options = options;
    options.asking.links.join(showTopic, { asked: (_node, playId) => this.own(playId) ?? null });
  }

  find(playId: string, address: string): Promise<HeldShow | undefined> | HeldShow | undefined {
    const { asking, monotonicMs } = this.options;
    const own = this.own(playId);
    if (own || asking.links.isAlone) return own;
    const told = this.told.get(playId);
    if (told && monotonicMs() - told.atMs < believedMs) return told.held;
    const underWay = this.looks.get(playId);
    if (underWay) return underWay;
    const look = this.look(playId, address).finally(() => this.looks.delete(playId));
    this.looks.set(playId, look);
    return look;
  }

  private own(playId: string): HeldShow | undefined {
    const { shows, windows, isOn, asking } = this.options;
    const show = shows.find(playId);
    if (!show) return undefined;
    const window = windows.find(playId);
    const isHere = isOn(playId);
    if (!isHere && !window) {
      shows.forget(playId);
      return undefined;
    }
    return { ...show, node: asking.links.node, isOver: !isHere && window?.isOver !== false };
  }

  private async look(playId: string, address: string): Promise<HeldShow | undefined> {
    const { places, asking, monotonicMs } = this.options;
    const place = await places.find(playId, address);
    if (!place) return this.ended(playId);
    if (place.node === asking.links.node) return undefined;
    const whose = ofAccount(place);
    const order = { question: playId, whose, withinMs: askedWithinMs };
    const held = await asking.node(showTopic, place.node, order);
    if (held === undefined) throw unavailable('The node that has the show cannot be asked now');
    if (held) this.told.set(playId, { held, atMs: monotonicMs() });
    return held ?? undefined;
  }

  /** Nobody pushes any more: what was told last is all of it, for as long as its end is shown here. */
  private ended(playId: string): HeldShow | undefined {
    const told = this.told.get(playId);
    return told && this.options.windows.find(playId) && { ...told.held, isOver: true };
  }
}

function readPlayId(value: unknown): string {
  if (typeof value !== 'string') throw new Error('this is no play address');
  return value;
}

function readHeldShow(value: unknown): HeldShow | null {
  if (value === null) return null;
  const { channel_id, account_id, show_at, pushed_ms, node, isOver, recordings } = (value ??
    {}) as HeldShow;
  const areNumbers = [channel_id, account_id, show_at, pushed_ms].every(Number.isFinite);
  const areRecordings =
    Array.isArray(recordings) &&
    recordings.every(
      ({ recording, isWhole }) => typeof recording === 'string' && typeof isWhole === 'boolean',
    );
  if (!areNumbers || !areRecordings || typeof node !== 'string' || typeof isOver !== 'boolean')
    throw new Error('this is nothing of a show');
  return value as HeldShow;
}
