// Controls and pointer fade away while it plays and nobody moves.

/** Long enough to read the bar and to reach for a button. */
const quietAfterMs = 3_000;

const signs = ['pointermove', 'pointerdown', 'keydown', 'focusin'];

export function fadeWhenQuiet(frame: HTMLElement, media: HTMLVideoElement): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const setQuiet = (isQuiet: boolean) => {
    frame.dataset['quiet'] = String(isQuiet);
  };
  const fade = () => {
    // Who goes through the buttons by keyboard must see where they are.
    const isByKeyboard = frame.querySelector(':focus-visible') !== null;
    setQuiet(!media.paused && !isByKeyboard);
  };
  const stir = () => {
    setQuiet(false);
    clearTimeout(timer);
    timer = setTimeout(fade, quietAfterMs);
  };
  for (const sign of signs) frame.addEventListener(sign, stir);
  for (const event of ['play', 'pause']) media.addEventListener(event, stir);
  frame.addEventListener('pointerleave', fade);
}
