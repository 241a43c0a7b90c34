// The lists of shows that somebody goes back in: read on in the indexes of their recordings, each once however many ask.
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { PlaylistText } from '../../base/api/media-answer.ts';
import { RecentMap } from '../../base/lib/recent-map.ts';
import { FairPlaces } from '../../base/turns/fair-places.ts';
import { JoinedWork } from '../../base/turns/joined-work.ts';
import { inTurns } from '../../base/turns/turn-slice.ts';
import { orNothing, sourceIndex } from '../recording/recording-folder.ts';
import { IndexReading } from '../recording/recording-index.ts';
import { playbackLimits } from './playback-limits.ts';
import { ShowList } from './show-list.ts';
import { pieceName } from './show-names.ts';
import type { ShowPart, ShowSource, ShowSources } from './show-sources.ts';

/** Off the main thread. */
const gzipped = promisify<string, Buffer>(gzip);

/** A show as far as it is listed. */
export interface ListedShow {
  readonly source: ShowSource;
  readonly list: ShowList;
  readonly text: PlaylistText;
}

export interface ShowListsOptions {
  sources: ShowSources;
  monotonicMs: () => number;
}

/** A segment comes every two seconds. */
const lookEveryMs = 1_000;
/** An index is read by so much at a time. */
const readBytes = 1_048_576;

export class ShowLists {
  private readonly options: ShowListsOptions;

  /** By play address, the one that was asked for longest ago leaves first. */
  private readonly kept = new RecentMap<string, KeptList>({
    max: playbackLimits.playlistBytesMax,
    weigh: ({ weight }) => weight,
  });
  /** To read a long one from its beginning takes some ten milliseconds: one channel does not hold up the others. */
  private readonly places = new FairPlaces({ placesMax: 2 });

  constructor(options: ShowListsOptions) {
    this.options = options;
  }

  /** Undefined where nothing of the show is recorded yet, or ever. */
  async find(playId: string, address: string): Promise<ListedShow | undefined> {
    const source = await this.options.sources.find(playId, address);
    if (!source) return undefined;
    const known = this.kept.get(playId);
    const isKnown = known?.source.name === source.name;
    const list = isKnown ? known : new KeptList(source, this.options.monotonicMs);
    list.source = source;
    if (!isKnown) this.kept.set(playId, list);
    if (list.isOld) await this.readOn(playId, list);
    const { text, list: shown } = list;
    return text && shown.end ? { source, list: shown, text } : undefined;
  }

  private async readOn(playId: string, list: KeptList): Promise<void> {
    const before = list.weight;
    await this.places.run({ whose: playId }, () => list.readOn.run());
    // What it weighs has changed.
    if (list.weight !== before && this.kept.peek(playId) === list) {
      this.kept.delete(playId);
      this.kept.set(playId, list);
    }
  }
}

class KeptList {
  source: ShowSource;
  private readonly monotonicMs: () => number;
  readonly list: ShowList;
  text: PlaylistText | undefined;

  /** Which of the parts is being read, and how far. */
  private part = 0;
  private reading = new IndexReading();
  private lookedAt = Number.NEGATIVE_INFINITY;
  private isOver = false;
  readonly readOn = new JoinedWork(() => this.look());

  constructor(source: ShowSource, monotonicMs: () => number) {
    this.source = source;
    this.monotonicMs = monotonicMs;
    const { name } = source;
    this.list = new ShowList((range, kind) => pieceName(name, range, kind));
  }

  get weight(): number {
    return this.text ? this.text.text.length + this.text.gzip.length : 0;
  }

  get isOld(): boolean {
    return !this.isOver && this.monotonicMs() - this.lookedAt >= lookEveryMs;
  }

  private async look(): Promise<void> {
    // Whoever has waited for a place meanwhile finds it done.
    if (!this.isOld) return;
    const { list } = this;
    const endBefore = list.end?.mediaMs;
    const { parts, isOver } = this.source;
    for (;;) {
      const part = parts[this.part];
      if (!part) break;
      await this.readPart(part);
      if (!part.isWhole) break;
      this.part += 1;
      this.reading = new IndexReading();
    }
    // What comes next of the show, if anything does, is another piece.
    const isAll = this.part === parts.length;
    if (isAll) list.endPiece();
    this.lookedAt = this.monotonicMs();
    const isEnded = isAll && isOver;
    if (list.end?.mediaMs === endBefore && !isEnded) return;
    const text = list.text({ isOver: isEnded });
    this.text = { text, gzip: new Uint8Array(await gzipped(text)) };
    this.isOver = isEnded;
  }

  /** What has come in its index since. */
  private async readPart({ recording, isWhole }: ShowPart): Promise<void> {
    const { reading, list, part } = this;
    const add = async (text: string) => {
      for (const segment of await inTurns(reading.read(text))) list.add(part, segment);
    };
    if (isWhole) {
      const text = (await orNothing(recording.text(sourceIndex))) ?? '';
      await add(text.slice(reading.at));
      return;
    }
    const index = await orNothing(recording.find(sourceIndex));
    for (const size = index?.size ?? 0; index && reading.at < size; ) {
      const { at } = reading;
      const range = { at, size: Math.min(readBytes, size - at) };
      const pieces = await Array.fromAsync(index.pieces(range), (piece) => piece.slice());
      await add(Buffer.concat(pieces).toString('utf8'));
      // The rest is a line that is being written.
      if (reading.at === at) break;
    }
  }
}
