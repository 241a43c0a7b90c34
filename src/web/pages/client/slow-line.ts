// The line over the picture that says that the viewer's network is too slow, and what helps; it goes away by itself.
import type { ClientTexts } from '../page-data.ts';
import { LineWatch } from './line-watch.ts';
import { announce, filled, find } from './page-elements.ts';
import type { Player } from './player.ts';
import type { Quality } from './quality.ts';
import { isWithoutPicture } from './without-picture.ts';

const lookEveryMs = 250;

export function startSlowLine(player: Player, quality: Quality, texts: ClientTexts): void {
  const { media } = player;
  const shown = find('slow-line');
  const watch = new LineWatch();
  /** Who hears the page is told of the same thing once. */
  let said = '';
  const say = (text: string | undefined) => {
    shown.hidden = text === undefined;
    if (text === undefined || shown.textContent === text) return;
    shown.textContent = text;
    if (text !== said) announce(text);
    said = text;
  };
  find('quality').addEventListener('change', () => watch.forget());
  setInterval(() => {
    const { playback, lineLoad } = player;
    if (playback === 'idle') watch.forget();
    const isStarved = playback === 'stalled' || (playback === 'loading' && !media.paused);
    const isSlow = watch.add({ nowMs: performance.now(), isStarved, load: lineLoad });
    const isOn = playback !== 'failed' && playback !== 'paused';
    if (isOn && quality.isAuto && isWithoutPicture()) say(texts.slow_line_sound);
    else say(isOn && isSlow ? sentence(player, quality, texts) : undefined);
  }, lookEveryMs);
}

function sentence({ kind }: Player, { tooLarge }: Quality, texts: ClientTexts): string {
  if (tooLarge !== undefined) return filled(texts.slow_line_smaller, { quality: tooLarge });
  return kind === 'live' || kind === 'show' ? texts.slow_line : texts.slow_line_video;
}
