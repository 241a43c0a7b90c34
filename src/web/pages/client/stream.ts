// One stream in the video element: by hls.js, or by the browser itself where hls.js cannot or need not run.
import Hls, { type ErrorData, type LevelDetails } from 'hls.js/light';
import { lineLoadOf } from './line-load.ts';
import { lineBitsOfPage } from './line-rate.ts';
import { paceLoading } from './live-loading.ts';
import { keepAtLiveEdge } from './live-player.ts';
import { isSoundAlone, liveRungs, withSoundAlone } from './live-rungs.ts';
import { nativeSizes } from './native-sizes.ts';
import { type Rung, rungFor, type Sizes } from './rungs.ts';

/** What is listed of a stream, in seconds on the element's timeline. */
export interface Listed {
  from: number;
  to: number;
  /** The date of what comes at its end, epoch milliseconds; undefined where the playlist or the browser does not tell. */
  endsAt?: number | undefined;
}

export interface Stream extends Sizes {
  /** The picture is as near to now as it can be. */
  readonly isAtEdge: boolean;
  /** The date of what is shown, epoch milliseconds; undefined where the playlist or the browser does not tell. */
  readonly shownAt: number | undefined;
  /** Seconds that the line takes to bring one second of it; undefined where nothing was loaded, or the browser does it. */
  readonly lineLoad: number | undefined;
  /** Undefined before it is known. */
  readonly listed: Listed | undefined;
  goToEdge(): void;
  /** Of a live stream: to a place that it still has, and stays as far behind from then on. False where it has it no more. */
  goBack(toSeconds: number): boolean;
  /** Loads no more: it is paused. What is shown stays. */
  rest(): void;
  close(): void;
}

/** `show`: all that is recorded of a show that is on. */
export type StreamKind = 'live' | 'show' | 'video' | 'file';

export interface Source {
  /** A playlist's address, or that of a file which the browser plays by itself. */
  address: string;
  kind: StreamKind;
}

export interface StreamOptions extends Source {
  media: HTMLVideoElement;
  /** By the browser itself, also where hls.js could. */
  isNative: boolean;
  /** Where it begins, but for a live stream. */
  atSeconds: number;
  /** The date of the picture to begin with, where that is known: it leads there in whichever recording. */
  atDate: number | undefined;
  /** The size that was chosen, as for `choose`. */
  wanted: number | undefined;
  /** What `rungs` or `rung` say is something else now. */
  onRungs(): void;
  /** It will play no further. */
  onFailed(): void;
}

/** Behind the newest media by more than this, a viewer is not at the live edge. */
const edgeSecondsMax = 4;
/** The same where it is loaded by whole segments: what is there comes two seconds later, and a slow line needs more. */
const segmentEdgeSecondsMax = 10;
/** Kept behind the player, so that a show of hours stays small in memory. */
const behindSecondsMax = 30;
/** A live list loses a segment each two seconds, and hls.js goes to the edge from what is not listed any more. */
export const leavingSeconds = 1.5;
const slackSeconds = 0.3;
/** Of what is gone back in so much is loaded ahead. */
const aheadSecondsMax = 60;
/** Of a video that nobody has begun to play: its first picture and its length, and no more of anybody's line. */
const unplayedSecondsMax = 1;
/** A second media error this soon after the first is not mended by trying the same again. */
const recoverEveryMs = 5_000;

/** The list of all sizes of a recording of ours. */
const everySize = /(\/recordings\/\d+)\/all\.m3u8(?=$|\?)/;

const nativeType = 'application/vnd.apple.mpegurl';

export function openStream(options: StreamOptions): Stream {
  const isForHls = options.kind !== 'file' && !options.isNative && Hls.isSupported();
  return isForHls ? openWithHls(options) : openNatively(options);
}

export function canPlayStreams(media: HTMLVideoElement): boolean {
  return Hls.isSupported() || media.canPlayType(nativeType) !== '';
}

/**
 * The same for a screen that loads it by itself: the list, where the browser plays lists; else the file that lies beside the
 * list of a recording of ours.
 */
export function castSource(media: HTMLVideoElement, source: Source): Source | undefined {
  if (source.kind === 'file' || media.canPlayType(nativeType) !== '') return source;
  if (source.kind !== 'video' || !everySize.test(source.address)) return undefined;
  return { address: source.address.replace(everySize, '$1/video.mp4'), kind: 'file' };
}

function openWithHls(options: StreamOptions): Stream {
  const { media, address, kind, atSeconds, atDate, onFailed } = options;
  const isLive = kind === 'live';
  const life = new AbortController();
  const longest = kind === 'show' ? aheadSecondsMax : Hls.DefaultConfig.maxMaxBufferLength;
  const lineBits = lineBitsOfPage();
  const rungs = isLive ? liveRungs(lineBits) : undefined;
  const hls = new Hls({
    // The page's policy lets no script run from a blob, and our fragments need no work that would pay for a thread.
    enableWorker: false,
    backBufferLength: behindSecondsMax,
    startPosition: isLive ? -1 : atSeconds,
    maxMaxBufferLength: isLive ? longest : unplayedSecondsMax,
    // To load a segment only to measure the line would take a second and more of a slow one.
    testBandwidth: false,
    abrEwmaDefaultEstimate: lineBits,
    ...(rungs && { abrController: rungs.controller }),
  });
  const load = () => Object.assign(hls.config, { maxMaxBufferLength: longest });
  media.addEventListener('play', load, { signal: life.signal });
  hls.on(Hls.Events.ERROR, recovering(hls, { media, onFailed }));
  const choose = choosing(hls, options);
  const lineLoad = lineLoadOf(hls);
  const pace = isLive ? paceLoading(hls, lineBits) : undefined;
  // In this order: what is attached later makes hls.js choose its place anew.
  const list = isLive || everySize.test(address) ? withSoundAlone(address) : address;
  hls.once(Hls.Events.MEDIA_ATTACHED, () => hls.loadSource(list));
  hls.attachMedia(media);
  if (atDate !== undefined)
    hls.once(Hls.Events.LEVEL_LOADED, (_, { details }) => beginAt(atDate, { media, hls, details }));
  const reserve = {
    get reserveMs() {
      return Math.max(rungs?.reserveMs ?? 0, pace?.reserveMs ?? 0);
    },
  };
  const kept = isLive ? keepAtLiveEdge(media, hls, reserve) : undefined;
  return {
    get isAtEdge() {
      const edge = hls.latestLevelDetails?.edge;
      const behindMax = hls.lowLatencyMode ? edgeSecondsMax : segmentEdgeSecondsMax;
      const isNear = edge === undefined || edge - media.currentTime < behindMax;
      return isNear && (kept?.isFollowing ?? false);
    },
    get shownAt() {
      return hls.playingDate?.getTime();
    },
    get lineLoad() {
      return lineLoad();
    },
    get rungs() {
      return hls.levels.map(rungOfLevel);
    },
    get rung() {
      return hls.currentLevel < 0 ? undefined : hls.currentLevel;
    },
    get nextRung() {
      return hls.loadLevel < 0 ? undefined : hls.loadLevel;
    },
    choose,
    get listed() {
      return listedBy(hls);
    },
    // A player that plays is brought there by keepAtLiveEdge within two seconds.
    goToEdge: () => {
      if (kept) kept.isFollowing = true;
    },
    goBack: (toSeconds) => {
      const first = (listedBy(hls)?.from ?? Number.POSITIVE_INFINITY) + leavingSeconds;
      // What was reckoned a moment ago may be off by a little.
      if (toSeconds < first - slackSeconds) return false;
      if (kept) kept.isFollowing = false;
      media.currentTime = toSeconds;
      return true;
    },
    rest: () => hls.stopLoad(),
    close: () => {
      life.abort();
      kept?.stop();
      hls.destroy();
    },
  };
}

function listedBy({ latestLevelDetails }: Hls): Listed | undefined {
  const fragments = latestLevelDetails?.fragments ?? [];
  const [first, last] = [fragments[0], fragments.at(-1)];
  if (!latestLevelDetails || !first || !last) return undefined;
  const { programDateTime: date, duration } = last;
  const endsAt = date === null ? undefined : date + duration * 1000;
  return { from: first.start, to: latestLevelDetails.edge, endsAt };
}

/** Where the playlist has a picture of that date, it begins there and not where it was told to. */
function beginAt(
  date: number,
  { media, hls, details }: { media: HTMLVideoElement; hls: Hls; details: LevelDetails },
): void {
  const found = details.fragments.findLast(({ programDateTime: at }) => at !== null && at <= date);
  if (!found?.programDateTime) return;
  const at = Math.min(found.start + (date - found.programDateTime) / 1000, details.edge);
  hls.startLoad(at);
  media.currentTime = at;
}

function rungOfLevel({ width, height, uri }: Hls['levels'][number]): Rung {
  return { shortSide: isSoundAlone(uri) ? 0 : Math.min(width ?? 0, height ?? 0) };
}

/** How a size is chosen from now on; the one that was chosen is kept to as soon as it is known which there are. */
function choosing(hls: Hls, { kind, wanted, onRungs }: StreamOptions): Stream['choose'] {
  const { Events } = Hls;
  const levelOf = (side: number | undefined) =>
    side === undefined || hls.levels.length < 2 ? -1 : rungFor(hls.levels.map(rungOfLevel), side);
  hls.once(Events.MANIFEST_PARSED, () => {
    hls.loadLevel = levelOf(wanted);
  });
  const { MANIFEST_PARSED, LEVELS_UPDATED, LEVEL_SWITCHING, LEVEL_SWITCHED } = Events;
  for (const event of [MANIFEST_PARSED, LEVELS_UPDATED, LEVEL_SWITCHING, LEVEL_SWITCHED])
    hls.on(event, onRungs);
  return (side) => {
    // Of a video what is loaded of the other size is thrown away, so that the choice is seen; live there is no time for that.
    if (kind === 'live' || side === undefined) hls.loadLevel = levelOf(side);
    else hls.nextLevel = levelOf(side);
  };
}

/** The decoder may be begun anew once; everything else that hls.js gives up is for the player to open again. */
function recovering(
  hls: Hls,
  { media, onFailed }: Pick<StreamOptions, 'media' | 'onFailed'>,
): (_: unknown, error: ErrorData) => void {
  let recoveredAt = Number.NEGATIVE_INFINITY;
  return (_, { fatal, type }) => {
    if (!fatal) return;
    const nowMs = performance.now();
    if (type !== Hls.ErrorTypes.MEDIA_ERROR || nowMs - recoveredAt < recoverEveryMs) {
      onFailed();
      return;
    }
    recoveredAt = nowMs;
    const wasPaused = media.paused;
    hls.recoverMediaError();
    // The element was emptied, which has paused it without a word.
    if (!wasPaused) media.play().catch(() => {});
  };
}

/** Of Apple's players alone: when the element's timeline begins, by the dates of the playlist. */
function startDateOf(media: HTMLVideoElement & { getStartDate?(): Date }): number | undefined {
  const at = media.getStartDate?.().getTime();
  // An invalid date where the playlist has none.
  return Number.isNaN(at) ? undefined : at;
}

const noSizes: Sizes = { rungs: [], rung: undefined, nextRung: undefined, choose: () => {} };

function openNatively(options: StreamOptions): Stream {
  const { media, address, kind, atSeconds, onFailed } = options;
  const life = new AbortController();
  const end = () =>
    media.seekable.length === 0 ? undefined : media.seekable.end(media.seekable.length - 1);
  media.addEventListener('error', onFailed, { signal: life.signal });
  media.src = address;
  if (kind !== 'live' && atSeconds > 0) media.currentTime = atSeconds;
  const sizes = kind === 'file' ? noSizes : nativeSizes(options, life.signal);
  return {
    get rungs() {
      return sizes.rungs;
    },
    get rung() {
      return sizes.rung;
    },
    get nextRung() {
      return sizes.nextRung;
    },
    choose: sizes.choose,
    lineLoad: undefined,
    get isAtEdge() {
      // Apple's players keep three segments behind the newest one.
      return (end() ?? 0) - media.currentTime < edgeSecondsMax * 3;
    },
    get shownAt() {
      const startAt = startDateOf(media);
      return startAt === undefined ? undefined : startAt + media.currentTime * 1000;
    },
    get listed() {
      const { seekable } = media;
      if (seekable.length === 0) return undefined;
      return { from: seekable.start(0), to: seekable.end(seekable.length - 1) };
    },
    goToEdge: () => {
      media.currentTime = end() ?? media.currentTime;
    },
    goBack: (toSeconds) => {
      const { seekable } = media;
      if (seekable.length === 0 || toSeconds < seekable.start(0)) return false;
      media.currentTime = toSeconds;
      return true;
    },
    rest: () => {},
    close: () => {
      life.abort();
      media.removeAttribute('src');
      media.load();
    },
  };
}
