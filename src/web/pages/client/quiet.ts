// Controls and pointer fade away while it plays and nobody moves.
import { find } from './page-elements.ts';

/** Long enough to read the bar and to reach for a button. */
const quietAfterMs = 3_000;

const signs = ['pointermove', 'pointerdown', 'keydown', 'focusin'];

export function fadeWhenQuiet(frame: HTMLElement, media: HTMLVideoElement): void {
  const controls = find('controls');
  let timer: ReturnType<typeof setTimeout> | undefined;
  const setQuiet = (isQuiet: boolean) => {
    frame.dataset['quiet'] = String(isQuiet);
  };
  const fade = () => {
    // People who go through the buttons by keyboard must see where they are.
    const isByKeyboard = frame.querySelector(':focus-visible') !== null;
    setQuiet(!media.paused && !isByKeyboard);
  };
  const stir = () => {
    setQuiet(false);
    clearTimeout(timer);
    timer = setTimeout(fade, quietAfterMs);
  };
  // A finger that wakes the controls has not seen them, so it has not meant what lies under it.
  let isBlind = false;
  frame.addEventListener('pointerdown', ({ pointerType }) => {
    const isUnseen = frame.dataset['quiet'] === 'true' && frame.dataset['playback'] === 'playing';
    isBlind = isUnseen && pointerType === 'touch';
  });
  const shield = (event: Event) => {
    if (isBlind && event.target instanceof Node && controls.contains(event.target))
      event.stopPropagation();
    isBlind = false;
  };
  frame.addEventListener('click', shield, { capture: true });
  for (const sign of signs) frame.addEventListener(sign, stir);
  for (const event of ['play', 'pause']) media.addEventListener(event, stir);
  frame.addEventListener('pointerleave', ({ pointerType }) => {
    // A finger leaves with every tap.
    if (pointerType === 'mouse') fade();
  });
}
