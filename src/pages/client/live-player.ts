// A media element held near the live edge: looks at it, and does what LiveEdge decides.
import { LiveEdge } from './live-edge.ts';

/** What loads the stream; an instance of hls.js is one. */
export interface LiveSource {
  /** `edge`: where the newest media that is known of ends, in seconds on the element's timeline. */
  readonly latestLevelDetails: { readonly live: boolean; readonly edge: number } | null;
}

export interface KeptPlayer {
  /** What is kept in front for safety now. */
  readonly marginMs: number;
  stop(): void;
}

const lookEveryMs = 50;
/** A position this little before a buffered range is in it: browsers play on over such gaps. */
const gapSeconds = 0.1;

/** Sets `playbackRate` and `currentTime` from now on; a stream that has ended is left to play out. */
export function keepAtLiveEdge(media: HTMLMediaElement, source: LiveSource): KeptPlayer {
  const edge = new LiveEdge();
  const stop = () => {
    clearInterval(timer);
    media.playbackRate = 1;
  };
  const timer = setInterval(() => {
    const isPlaying = !media.paused && !media.ended && !media.seeking && media.readyState > 0;
    if (source.latestLevelDetails?.live === false) stop();
    else if (isPlaying) lookAt(media, source, edge);
  }, lookEveryMs);
  return {
    get marginMs() {
      return edge.marginMs;
    },
    stop,
  };
}

function lookAt(media: HTMLMediaElement, source: LiveSource, edge: LiveEdge): void {
  const { currentTime } = media;
  const end = bufferedEnd(media);
  const { rate, jumpMs } = edge.look({
    nowMs: performance.now(),
    positionMs: currentTime * 1000,
    endMs: end * 1000,
    newestMs: Math.max(end, source.latestLevelDetails?.edge ?? end) * 1000,
    isStarved: media.readyState < HTMLMediaElement.HAVE_FUTURE_DATA,
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
