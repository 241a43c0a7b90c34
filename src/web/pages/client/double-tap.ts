// A finger that taps twice beside the middle of a recording, or of a show that is on, goes back or on in it, further with each tap more.
import type { ClientTexts } from '../page-data.ts';
import { showAnswer } from './answer.ts';
import { filled } from './page-elements.ts';
import type { Player } from './player.ts';

/** Two taps with more between them are two. */
const betweenMsMax = 300;
/** Who goes on tapping goes on: a little slower is as well meant. */
const moreMsMax = 700;
const stepSeconds = 10;
/** Of the picture's width, on each side; the middle is for the controls. */
const sideShare = 0.35;

type Side = 'left' | 'right';

export interface DoubleTap {
  /** The second of two taps was one of these: it means nothing else. */
  readonly hasSkipped: boolean;
}

export function startDoubleTap(player: Player, texts: ClientTexts): DoubleTap {
  const { media } = player;
  let last: { side: Side | undefined; at: number } = { side: undefined, at: 0 };
  let skippedSeconds = 0;
  let skippedAt = Number.NEGATIVE_INFINITY;
  const skip = (side: Side, now: number) => {
    skippedSeconds += stepSeconds;
    skippedAt = now;
    const isOn = side === 'right';
    player.skip(isOn ? stepSeconds : -stepSeconds);
    const text = isOn ? texts.skipped_on : texts.skipped_back;
    showAnswer(filled(text, { seconds: skippedSeconds }), side);
  };
  media.addEventListener('pointerup', ({ pointerType, clientX }) => {
    if (pointerType !== 'touch' || player.stretch === undefined) return;
    const now = performance.now();
    const side = sideOf(media, clientX);
    const isSame = side !== undefined && side === last.side;
    const isMore = isSame && now - skippedAt < moreMsMax;
    if (!isMore) skippedSeconds = 0;
    if (isMore || (isSame && now - last.at < betweenMsMax)) skip(side, now);
    last = { side, at: now };
  });
  return {
    get hasSkipped() {
      return performance.now() - skippedAt < moreMsMax;
    },
  };
}

function sideOf(media: HTMLVideoElement, clientX: number): Side | undefined {
  const { left, width } = media.getBoundingClientRect();
  const share = (clientX - left) / width;
  if (share < sideShare) return 'left';
  return share > 1 - sideShare ? 'right' : undefined;
}
