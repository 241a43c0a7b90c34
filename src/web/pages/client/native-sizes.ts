// The sizes of a stream that the browser plays by itself: read from the playlist, chosen by playing one of them alone.
import { type PlaylistRung, rungFor, rungsIn, type Sizes } from './rungs.ts';

export interface NativeSizesOptions {
  media: HTMLVideoElement;
  address: string;
  /** What was chosen before, as for `choose`. */
  wanted: number | undefined;
  /** What there is, or is shown, is something else now. */
  onRungs(): void;
}

export function nativeSizes(
  { media, address, wanted, onRungs }: NativeSizesOptions,
  signal: AbortSignal,
): Sizes {
  let rungs: PlaylistRung[] = [];
  const rung = () => {
    const side = Math.min(media.videoWidth, media.videoHeight);
    return side === 0 ? undefined : rungFor(rungs, side);
  };
  const choose = (side: number | undefined) => {
    const chosen = side === undefined ? undefined : rungs[rungFor(rungs, side)];
    if (rungs.length > 1) goOnWith(media, chosen?.address ?? address);
  };
  const read = async () => {
    const { href } = new URL(address, location.href);
    const answer = await fetch(href, { signal });
    rungs = rungsIn(await answer.text(), href);
    if (wanted !== undefined) choose(wanted);
    onRungs();
  };
  // Without them it plays what the browser chooses.
  read().catch(() => {});
  media.addEventListener('resize', onRungs, { signal });
  return {
    get rungs() {
      return rungs;
    },
    get rung() {
      return rung();
    },
    get nextRung() {
      return rung();
    },
    choose,
  };
}

/** Where it stood, and as it was: playing or not. */
function goOnWith(media: HTMLVideoElement, address: string): void {
  if (media.src === new URL(address, location.href).href) return;
  const { currentTime, paused, duration } = media;
  media.src = address;
  if (Number.isFinite(duration)) media.currentTime = currentTime;
  if (!paused) media.play().catch(() => {});
}
