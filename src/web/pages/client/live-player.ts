// A media element held near the live edge: looks at it, and does what LiveEdge decides.
import { type EdgeSample, LiveEdge } from './live-edge.ts';

/** What loads the stream; an instance of hls.js is one. Its positions are seconds on the element's timeline. */
export interface LiveSource {
  readonly latestLevelDetails: LiveDetails | null;
  /** It loads parts, where they are listed. */
  readonly lowLatencyMode: boolean;
  /** Begins to load anew, there. */
  startLoad(position: number): void;
}

interface LiveDetails {
  readonly live: boolean;
  /** Where the newest media that is known of ends. */
  readonly edge: number;
  readonly partList: readonly LivePart[] | null;
  /** Those that are whole, and where the last of them ends. */
  readonly fragments: readonly { readonly start: number; readonly duration: number }[];
  readonly fragmentEnd: number;
}

interface LivePart {
  readonly start: number;
  /** It begins with a key frame. */
  readonly independent: boolean;
  readonly fragment: { readonly sn: number | string };
}

export interface KeptPlayer {
  /** What is kept in front for safety now. */
  readonly marginMs: number;
  /** The viewer has gone back: it is left where it is until it is to follow again. */
  isFollowing: boolean;
  stop(): void;
}

const lookEveryMs = 50;
/** A position this little before a buffered range is in it: browsers play on over such gaps. */
const gapSeconds = 0.1;

/**
 * Sets `playbackRate` and `currentTime` from now on; a stream that has ended is left to play out. The element is
 * to be attached before hls.js loads: attached later it makes hls.js choose its place anew. `rungs`: where there are sizes,
 * how much more is wanted in front before a larger one is loaded.
 */
export function keepAtLiveEdge(
  media: HTMLMediaElement,
  source: LiveSource,
  rungs: { readonly reserveMs: number } = { reserveMs: 0 },
): KeptPlayer {
  const edge = new LiveEdge();
  let hasJoined = false;
  let isFollowing = true;
  const stop = () => {
    clearInterval(timer);
    media.playbackRate = 1;
  };
  const timer = setInterval(() => {
    const details = source.latestLevelDetails;
    if (details && !hasJoined) hasJoined = join(media, source, details);
    const isPlaying = !media.paused && !media.ended && !media.seeking && media.readyState > 0;
    if (details?.live === false) stop();
    else if (details && isPlaying && isFollowing)
      steer(media, edge, {
        ...placesIn(details, source.lowLatencyMode),
        reserve: rungs.reserveMs / 1_000,
      });
  }, lookEveryMs);
  return {
    get marginMs() {
      return edge.marginMs;
    },
    get isFollowing() {
      return isFollowing;
    },
    set isFollowing(isToFollow) {
      isFollowing = isToFollow;
      media.playbackRate = 1;
    },
    stop,
  };
}

/** True once it is where it shall begin. */
function join(media: HTMLMediaElement, source: LiveSource, details: LiveDetails): boolean {
  if (source.lowLatencyMode) joinAtKeyFrame(media, source, details);
  else if (media.buffered.length === 0) return false;
  // hls.js would begin in the middle of the segment that it has loaded.
  else media.currentTime = media.buffered.start(0);
  return true;
}

/**
 * hls.js begins near the end of the list, in the belief that every segment begins with a key frame. Where key
 * frames are far apart it would wait for the next one; the last one is listed, so it is told to begin there.
 */
function joinAtKeyFrame(media: HTMLMediaElement, source: LiveSource, details: LiveDetails): void {
  const key = lastKeyFrame(details);
  const newest = details.partList?.at(-1);
  if (!key || key.fragment.sn === newest?.fragment.sn) return;
  source.startLoad(key.start);
  // It may have loaded and sought already, and would go on from there.
  media.currentTime = key.start;
}

function lastKeyFrame({ partList }: LiveDetails): LivePart | undefined {
  return partList?.findLast(({ independent }) => independent);
}

/** Seconds. */
interface Places {
  /** Where what can be loaded now ends. */
  edge: number;
  /** The last place before that where playing can begin. */
  join: number | undefined;
  /** How much is loaded at once. */
  piece: number;
}

function placesIn(details: LiveDetails, byParts: boolean): Places {
  const { edge, fragmentEnd, fragments } = details;
  if (byParts) return { edge, join: lastKeyFrame(details)?.start, piece: 0 };
  const last = fragments.at(-1);
  return { edge: fragmentEnd, join: last?.start, piece: last?.duration ?? 0 };
}

function steer(
  media: HTMLMediaElement,
  edge: LiveEdge,
  { edge: listed, join, piece, reserve }: Places & { reserve: number },
): void {
  const { currentTime } = media;
  const end = bufferedEnd(media);
  const newest = Math.max(end, listed);
  const { rate, jumpMs } = edge.decide({
    nowMs: performance.now(),
    positionMs: currentTime * 1000,
    endMs: end * 1000,
    newestMs: newest * 1000,
    joinMs: (join ?? newest) * 1000,
    pieceMs: piece * 1000,
    reserveMs: reserve * 1000,
    isStarved: media.readyState < HTMLMediaElement.HAVE_FUTURE_DATA,
    beyond: bufferedBeyond(media, end),
  });
  if (media.playbackRate !== rate) media.playbackRate = rate;
  if (jumpMs !== 0) media.currentTime = currentTime + jumpMs / 1000;
}

/** Where what is buffered here ends; the position itself where nothing is. */
function bufferedEnd({ buffered, currentTime }: HTMLMediaElement): number {
  for (let i = 0; i < buffered.length; i++) {
    const isHere = currentTime >= buffered.start(i) - gapSeconds && currentTime <= buffered.end(i);
    if (isHere) return buffered.end(i);
  }
  return currentTime;
}

/** The first range that begins behind the one that ends there. */
function bufferedBeyond({ buffered }: HTMLMediaElement, end: number): EdgeSample['beyond'] {
  for (let i = 0; i < buffered.length; i++)
    if (buffered.start(i) > end + gapSeconds)
      return { startMs: buffered.start(i) * 1000, endMs: buffered.end(i) * 1000 };
  return undefined;
}
