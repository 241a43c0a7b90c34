// The sizes of one live stream: a window for each rung, and the list that players choose from (RFC 8216 4.3.4.2).
import type { PlaylistText } from '../../base/api/media-answer.ts';
import { isDoneWithin } from '../../base/turns/within.ts';
import type { LadderListing } from '../ladder/ladder.ts';
import { type RungName, soundRungName, stillRungName } from '../ladder/ladder-rungs.ts';
import { stillTrack } from '../ladder/still-picture.ts';
import { hasGap, type RungReport } from '../packaging/playlist.ts';
import { type FoundRung, type LiveWindow, playlistText, type WindowLadder } from './live-window.ts';
import {
  independentSegments,
  multivariantList,
  type Rates,
  ratesIn,
  type Variant,
} from './multivariant.ts';

/** The source's own name among the rungs. */
export const sourceName = 'source';

export interface LiveLadderOptions {
  source: LiveWindow;
  listing(): LadderListing;
  /** What the encoder says that it sends, bits a second; undefined where that is not known. */
  saidBits?(): number | undefined;
  /** Somebody wants a rung that is listed: where they are not all here it comes from now on. */
  asked?(name: RungName): void;
  /** What is still to be made here of what came is not made. */
  stop?(): void;
}

/** Until it is measured sound is taken to need this. */
const soundBitsUsual = 160_000;
/** What boxes add, and an encoder that is a little over. */
const overhead = 1.1;

export class LiveLadder implements WindowLadder {
  private readonly options: LiveLadderOptions;

  private readonly windows = new Map<string, LiveWindow>();
  /** Who waits for the beginning of which. */
  private readonly waiting = new Set<{ name: string; resolve(): void }>();

  constructor(options: LiveLadderOptions) {
    this.options = options;
    options.source.reports = () => this.reportsBeside(sourceName);
  }

  /** A rung begins; `window` tells `begun` of its first part. */
  add(name: RungName, window: LiveWindow): void {
    this.windows.set(name, window);
    window.reports = () => this.reportsBeside(name);
  }

  begun(name: RungName): void {
    for (const waiter of this.waiting) if (waiter.name === name) waiter.resolve();
  }

  window(name: string): LiveWindow | undefined {
    return this.windows.get(name);
  }

  remove(name: RungName): void {
    this.windows.get(name)?.close();
    this.windows.delete(name);
  }

  find(name: string, withinMs: number): FoundRung | Promise<FoundRung> {
    const { source, asked } = this.options;
    const listed = asked && this.listedNames.find((one) => one === name);
    if (asked && listed) asked(listed);
    const window = name === sourceName ? source : this.windows.get(name);
    return window?.isEmpty ? this.awaitBegun(name, window, withinMs) : window;
  }

  playlist(query: string, { hasStill } = { hasStill: false }): PlaylistText {
    const { source } = this.options;
    const { rungs, picture, sound } = this.options.listing();
    const soundRate = ratesOf(this.windows.get(soundRungName));
    const soundBits = sound ? (soundRate?.average ?? soundBitsUsual) : 0;
    const said = this.options.saidBits?.();
    const ofSource = ratesOf(source) ?? (said ? ratesFrom(said) : growingRates(source));
    const codecs = (of: { codec: string } | undefined) =>
      [of?.codec, sound?.codec].filter((one) => one !== undefined);
    const ask = (name: string) => `${name}.m3u8${query}`;
    const variants: Variant[] = [
      { ...picture, playlist: ask(sourceName), rates: ofSource, codecs: codecs(picture) },
    ];
    for (const rung of rungs) {
      const most = Math.ceil(overhead * rung.bitsMax + soundBits);
      const made = ratesOf(this.windows.get(rung.name));
      const average = made?.average ?? most;
      const rates = { peak: Math.max(made?.peak ?? 0, most), average };
      variants.push({ ...rung, playlist: ask(rung.name), rates, codecs: codecs(rung) });
    }
    if (picture && sound) {
      const rates = soundRate ?? ratesFrom(soundBits);
      variants.push({ playlist: ask(soundRungName), rates, codecs: [sound.codec] });
      if (hasStill)
        variants.push({
          ...stillTrack,
          playlist: ask(stillRungName),
          picturesPerSecond: picture.picturesPerSecond,
          rates: ratesOf(this.windows.get(stillRungName)) ?? rates,
          codecs: codecs(stillTrack),
        });
    }
    const isIndependent = source.listedSegments.every(
      ({ parts }) => parts[0]?.isIndependent ?? true,
    );
    return playlistText(
      multivariantList(variants, { tags: isIndependent ? [independentSegments] : [] }),
    );
  }

  stop(): void {
    this.options.stop?.();
  }

  close(): void {
    for (const window of this.windows.values()) window.close();
    for (const { resolve } of this.waiting) resolve();
  }

  private async awaitBegun(name: string, window: LiveWindow, withinMs: number): Promise<FoundRung> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const waiter = { name, resolve };
    this.waiting.add(waiter);
    if (window.isEmpty) await isDoneWithin(promise, withinMs);
    this.waiting.delete(waiter);
    return window.isEmpty ? 'awaited' : window;
  }

  /** Beside the source. */
  private get listedNames(): readonly RungName[] {
    const { rungs, picture, sound } = this.options.listing();
    const names: RungName[] = rungs.map(({ name }) => name);
    return picture && sound ? [...names, soundRungName, stillRungName] : names;
  }

  private reportsBeside(name: string): RungReport[] {
    const all: [string, LiveWindow][] = [[sourceName, this.options.source], ...this.windows];
    return all.flatMap(([other, { newest }]) =>
      // Not listed for everybody, and found without.
      other === name || other === stillRungName || !newest
        ? []
        : { playlist: `${other}.m3u8`, ...newest },
    );
  }
}

/** Of whole segments that can be had; undefined where there is none. */
function ratesOf(window: LiveWindow | undefined): Rates | undefined {
  const whole = (window?.listedSegments ?? []).filter((one) => one.isComplete && !hasGap(one));
  return whole.length > 0 ? ratesIn(whole) : undefined;
}

function ratesFrom(bits: number): Rates {
  return { peak: Math.ceil(overhead * bits), average: Math.ceil(bits) };
}

/** A push that has just begun, of whose rate nothing else is known: its first parts stand for the two seconds that its key frame is for. */
function growingRates(source: LiveWindow): Rates {
  const size = source.listedSegments.reduce((sum, one) => sum + one.size, 0);
  const ms = source.listedSegments.reduce((sum, { durationMs }) => sum + durationMs, 0);
  return ratesFrom((size * 8_000) / Math.max(ms, 1_000));
}
