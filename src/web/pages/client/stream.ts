// One stream in the video element: by hls.js, or by the browser itself where hls.js cannot or need not run.
import Hls, { type ErrorData } from 'hls.js/light';
import { lineLoadOf } from './line-load.ts';
import { paceLoading } from './live-loading.ts';
import { keepAtLiveEdge } from './live-player.ts';
import { nativeSizes } from './native-sizes.ts';
import { type Rung, rungFor, type Sizes } from './rungs.ts';

export interface Stream extends Sizes {
  /** The picture is as near to now as it can be. */
  readonly isAtEdge: boolean;
  /** The date of what is shown, epoch milliseconds; undefined where the playlist or the browser does not tell. */
  readonly shownAt: number | undefined;
  /** Seconds that the line takes to bring one second of it; undefined where nothing was loaded, or the browser does it. */
  readonly lineLoad: number | undefined;
  goToEdge(): void;
  /** Loads no more: it is paused. What is shown stays. */
  rest(): void;
  close(): void;
}

export type StreamKind = 'live' | 'video' | 'file';

export interface StreamOptions {
  media: HTMLVideoElement;
  /** A playlist's address, or that of a file which the browser plays by itself. */
  address: string;
  kind: StreamKind;
  /** Where a video begins. */
  atSeconds: number;
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
/** Of a video that nobody has begun to play: its first picture and its length, and no more of anybody's line. */
const unplayedSecondsMax = 1;
/** Until it is measured a line is held for this good, in bits a second: what most are, and enough for a clear picture. */
const lineBitsExpected = 3_000_000;
/** A second media error this soon after the first is not mended by trying the same again. */
const recoverEveryMs = 5_000;

const nativeType = 'application/vnd.apple.mpegurl';

export function openStream(options: StreamOptions): Stream {
  const isForHls = options.kind !== 'file' && Hls.isSupported();
  return isForHls ? openWithHls(options) : openNatively(options);
}

export function canPlayStreams(media: HTMLVideoElement): boolean {
  return Hls.isSupported() || media.canPlayType(nativeType) !== '';
}

function openWithHls(options: StreamOptions): Stream {
  const { media, address, kind, atSeconds, onFailed } = options;
  const isLive = kind === 'live';
  const life = new AbortController();
  const { maxMaxBufferLength } = Hls.DefaultConfig;
  const hls = new Hls({
    // The page's policy lets no script run from a blob, and our fragments need no work that would pay for a thread.
    enableWorker: false,
    backBufferLength: behindSecondsMax,
    startPosition: isLive ? -1 : atSeconds,
    maxMaxBufferLength: isLive ? maxMaxBufferLength : unplayedSecondsMax,
    abrEwmaDefaultEstimate: lineBitsExpected,
  });
  const load = () => Object.assign(hls.config, { maxMaxBufferLength });
  media.addEventListener('play', load, { signal: life.signal });
  hls.on(Hls.Events.ERROR, recovering(hls, { media, onFailed }));
  const choose = choosing(hls, options);
  const lineLoad = lineLoadOf(hls);
  if (isLive) paceLoading(hls);
  // In this order: what is attached later makes hls.js choose its place anew.
  hls.once(Hls.Events.MEDIA_ATTACHED, () => hls.loadSource(address));
  hls.attachMedia(media);
  const kept = isLive ? keepAtLiveEdge(media, hls) : undefined;
  return {
    get isAtEdge() {
      const edge = hls.latestLevelDetails?.edge;
      const behindMax = hls.lowLatencyMode ? edgeSecondsMax : segmentEdgeSecondsMax;
      return edge === undefined || edge - media.currentTime < behindMax;
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
    choose,
    // A player that plays is brought there by keepAtLiveEdge within two seconds.
    goToEdge: () => {},
    rest: () => hls.stopLoad(),
    close: () => {
      life.abort();
      kept?.stop();
      hls.destroy();
    },
  };
}

function rungOfLevel({ width, height }: Hls['levels'][number]): Rung {
  return { shortSide: Math.min(width ?? 0, height ?? 0) };
}

/** How a size is chosen from now on; the one that was chosen is kept to as soon as it is known which there are. */
function choosing(hls: Hls, { kind, wanted, onRungs }: StreamOptions): Stream['choose'] {
  const { Events } = Hls;
  const levelOf = (side: number | undefined) =>
    side === undefined || hls.levels.length < 2 ? -1 : rungFor(hls.levels.map(rungOfLevel), side);
  hls.once(Events.MANIFEST_PARSED, () => {
    hls.loadLevel = levelOf(wanted);
  });
  for (const event of [Events.MANIFEST_PARSED, Events.LEVELS_UPDATED, Events.LEVEL_SWITCHED])
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

const noSizes: Sizes = { rungs: [], rung: undefined, choose: () => {} };

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
    goToEdge: () => {
      media.currentTime = end() ?? media.currentTime;
    },
    rest: () => {},
    close: () => {
      life.abort();
      media.removeAttribute('src');
      media.load();
    },
  };
}
