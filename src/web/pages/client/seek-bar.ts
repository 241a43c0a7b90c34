// Where a video or a show stands: its bar and its times, and going elsewhere in it.
import type { ClientTexts } from '../page-data.ts';
import { timeText } from '../time-text.ts';
import { setShare } from './buttons.ts';
import { announce, filled, find } from './page-elements.ts';
import type { Player, Stretch } from './player.ts';
import { startSeekPeek } from './seek-peek.ts';

/** A show grows, and a viewer who has paused falls behind, without an event. */
const checkEveryMs = 1_000;

/** `seconds`: how long the video is, where that is known before it has loaded. */
export function startSeekBar(player: Player, texts: ClientTexts, seconds = 0): void {
  const { media } = player;
  const seek = find('seek');
  // While it is dragged the bar is the viewer's, not the player's.
  let isDragged = false;
  const show = () => {
    const stretch = player.stretch ?? unloaded(player, seconds);
    const isOn = player.kind === 'live' || player.kind === 'show';
    seek.hidden = stretch === undefined;
    find('times').hidden = !stretch?.isCounted;
    showBehind(player);
    if (!stretch) return;
    const { from, to } = stretch;
    const at = isDragged ? seek.valueAsNumber : stretch.at;
    // In this order: a bar keeps its value within its bounds.
    seek.min = String(from);
    seek.max = String(to);
    if (!isDragged) seek.value = String(at);
    showTimes(stretch, at);
    seek.ariaValueText = isOn
      ? textOfLive({ ...stretch, at }, texts)
      : filled(texts.seek_position, { time: timeText(at), total: wholeText(to) });
    setShare(seek, '--done', shareOf(at, stretch));
    setShare(seek, '--loaded', shareOf(loadedEnd(media) - media.currentTime + stretch.at, stretch));
  };
  seek.addEventListener('input', () => {
    isDragged = true;
    show();
  });
  seek.addEventListener('change', () => {
    isDragged = false;
    player.seek(seek.valueAsNumber);
    show();
    sayBehind(player, texts);
  });
  for (const event of ['timeupdate', 'durationchange', 'progress', 'seeked', 'emptied'])
    media.addEventListener(event, show);
  setInterval(show, checkEveryMs);
  for (const sign of ['pointermove', 'pointerdown', 'keydown', 'focusin'])
    find('player').addEventListener(sign, () => player.lookBack());
  show();
  startSeekPeek(player);
}

/** Of a video of which nothing is loaded. */
function unloaded({ kind, media }: Player, seconds: number): Stretch | undefined {
  if (kind === 'live' || kind === 'show' || seconds === 0) return undefined;
  return { from: 0, at: media.currentTime, to: seconds, isCounted: true };
}

function showTimes({ to }: Stretch, at: number): void {
  find('time-now').textContent = timeText(at);
  find('time-total').textContent = wholeText(to);
}

/** The whole is rounded, as the interface shows it. */
function wholeText(seconds: number): string {
  return timeText(Math.round(seconds));
}

function showBehind({ behind }: Player): void {
  const shown = find('behind');
  shown.hidden = Math.floor(behind) === 0;
  shown.textContent = `−${timeText(behind)}`;
}

/** Once, when the viewer has gone there. */
function sayBehind({ kind, behind }: Player, texts: ClientTexts): void {
  if (kind !== 'live' && kind !== 'show') return;
  announce(behind > 0 ? filled(texts.behind, { time: timeText(behind) }) : texts.at_live_edge);
}

function textOfLive({ at, to, isCounted }: Stretch, texts: ClientTexts): string {
  const behind = Math.floor(to - at);
  if (behind <= 0) return texts.at_live_edge;
  const text = filled(texts.behind, { time: timeText(behind) });
  return isCounted ? `${timeText(at)}, ${text}` : text;
}

function shareOf(seconds: number, { from, to }: Stretch): number {
  return to > from ? (seconds - from) / (to - from) : 0;
}

/** Where what is loaded around the position ends. */
function loadedEnd({ buffered, currentTime }: HTMLMediaElement): number {
  for (let i = 0; i < buffered.length; i++) {
    if (buffered.start(i) <= currentTime && currentTime <= buffered.end(i)) return buffered.end(i);
  }
  return currentTime;
}
