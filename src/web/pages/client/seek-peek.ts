// What lies at a place of the seek bar: its time and a small picture, over the bar while a pointer is on it.
import { timeText } from '../time-text.ts';
import { find } from './page-elements.ts';
import type { Player } from './player.ts';
import { Storyboard } from './small-pictures.ts';

/** As in the style sheet: the bar's ends are half a thumb from the element's. */
const thumbPixels = 14;

export function startSeekPeek(player: Player): void {
  const seek = find('seek');
  const peek = find('seek-peek');
  const picture = find('seek-picture');
  /** Where it is shown. */
  let shownAt: number | undefined;
  const storyboard = new Storyboard(() => {
    if (shownAt !== undefined) show(shownAt);
  });
  const showPicture = (seconds: number) => {
    const found = storyboard.pictureAt(player.address, seconds);
    picture.hidden = found === undefined;
    if (!found) return;
    const { address, x, y, width, height } = found;
    Object.assign(picture.style, {
      width: `${width}px`,
      height: `${height}px`,
      backgroundImage: `url("${address}")`,
      backgroundPosition: `-${x}px -${y}px`,
    });
  };
  /** `share` of the bar, 0 to 1. */
  const show = (share: number) => {
    const [min, max] = [Number(seek.min), Number(seek.max)];
    if (max <= min) return;
    shownAt = share;
    const seconds = min + share * (max - min);
    // Of the last seconds of something nobody knows but how long ago they were.
    const text =
      (player.stretch?.isCounted ?? true) ? timeText(seconds) : `−${timeText(max - seconds)}`;
    find('seek-time').textContent = text;
    showPicture(seconds);
    peek.hidden = false;
    const { offsetLeft, offsetWidth } = seek;
    const at = offsetLeft + thumbPixels / 2 + share * (offsetWidth - thumbPixels);
    // Near the ends it stays within the player; widths are rounded.
    const [half, room] = [peek.offsetWidth / 2 + 1, find('controls').clientWidth];
    peek.style.left = `${Math.min(Math.max(at, half), room - half)}px`;
  };
  const hide = () => {
    shownAt = undefined;
    peek.hidden = true;
  };
  seek.addEventListener('pointermove', ({ clientX, pointerType }) => {
    // A finger that drags is told by the bar itself.
    if (pointerType !== 'mouse') return;
    const { left, width } = seek.getBoundingClientRect();
    const share = (clientX - left - thumbPixels / 2) / (width - thumbPixels);
    show(Math.min(1, Math.max(0, share)));
  });
  seek.addEventListener('pointerleave', hide);
  seek.addEventListener('input', () => {
    const [min, max] = [Number(seek.min), Number(seek.max)];
    show((seek.valueAsNumber - min) / (max - min));
  });
  for (const event of ['change', 'pointerup', 'pointercancel', 'blur'])
    seek.addEventListener(event, hide);
}
