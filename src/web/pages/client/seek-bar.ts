// Where a video stands: its bar and its times, and going elsewhere in it.
import type { ClientTexts } from '../page-data.ts';
import { timeText } from '../time-text.ts';
import { setShare } from './buttons.ts';
import { filled, find } from './page-elements.ts';
import type { Player } from './player.ts';
import { startSeekPeek } from './seek-peek.ts';

/** `seconds`: how long the video is, where that is known before it has loaded. */
export function startSeekBar(player: Player, texts: ClientTexts, seconds = 0): void {
  const { media } = player;
  const seek = find('seek');
  // While it is dragged the bar is the viewer's, not the player's.
  let isDragged = false;
  const show = () => {
    if (player.kind === 'live') return;
    const total = Number.isFinite(media.duration) ? media.duration : seconds;
    const at = isDragged ? seek.valueAsNumber : media.currentTime;
    seek.max = String(total);
    if (!isDragged) seek.value = String(at);
    showTimes(seek, { at, total }, texts);
    setShare(seek, '--loaded', total > 0 ? loadedEnd(media) / total : 0);
  };
  seek.addEventListener('input', () => {
    isDragged = true;
    show();
  });
  seek.addEventListener('change', () => {
    isDragged = false;
    player.seek(seek.valueAsNumber);
  });
  for (const event of ['timeupdate', 'durationchange', 'progress', 'seeked', 'emptied'])
    media.addEventListener(event, show);
  show();
  startSeekPeek(player);
}

function showTimes(
  seek: HTMLInputElement,
  { at, total }: { at: number; total: number },
  texts: ClientTexts,
): void {
  // The whole is rounded, as the interface shows it.
  const [now, whole] = [timeText(at), timeText(Math.round(total))];
  find('time-now').textContent = now;
  find('time-total').textContent = whole;
  seek.ariaValueText = filled(texts.seek_position, { time: now, total: whole });
  setShare(seek, '--done', total > 0 ? at / total : 0);
}

/** Where what is loaded around the position ends. */
function loadedEnd({ buffered, currentTime }: HTMLMediaElement): number {
  for (let i = 0; i < buffered.length; i++) {
    if (buffered.start(i) <= currentTime && currentTime <= buffered.end(i)) return buffered.end(i);
  }
  return currentTime;
}
