// Keeps the picture in sight while somebody types into the chat on a phone, whose keyboard lies over half of the page.
import { find } from './page-elements.ts';

/** Of the window: a keyboard takes more, the browser's own bars take less. */
const keyboardShareMin = 0.2;
/** Who looks closer at a part of the page sees less of it without any keyboard. */
const closerScale = 1.05;

/**
 * Some browsers make the page smaller for a keyboard (`interactive-widget` in layout.ts asks for it), others move it under
 * the keyboard: what is seen of it is known of both, and the style sheet lays it out in that.
 */
export function startTyping(): void {
  const { visualViewport: seen } = window;
  const [form, log] = [find('chat-form'), find('chat-log')];
  // Otherwise a finger on it would send the keyboard away, and the button with it.
  find('chat-send').addEventListener('mousedown', (event) => event.preventDefault());
  if (!seen || !matchMedia('(pointer: coarse)').matches) return;
  const whole = { width: seen.width, height: seen.height };
  let scrolledTo = 0;
  const look = () => {
    if (seen.scale > closerScale) return;
    // The phone was turned.
    if (seen.width !== whole.width) Object.assign(whole, { width: seen.width, height: 0 });
    whole.height = Math.max(whole.height, seen.height);
    const isShort = seen.height < whole.height * (1 - keyboardShareMin);
    const isTyping = isShort && form.contains(document.activeElement);
    const wasTyping = document.body.dataset['typing'] === 'true';
    if (isTyping && !wasTyping) scrolledTo = scrollY;
    showSeen(isTyping ? seen : undefined);
    // Who writes answers to what was said last.
    if (isTyping) log.scrollTop = log.scrollHeight;
    if (wasTyping && !isTyping) scrollTo(0, scrolledTo);
  };
  for (const event of ['resize', 'scroll']) seen.addEventListener(event, look);
  for (const event of ['focusin', 'focusout']) form.addEventListener(event, look);
}

/** Undefined: all of the window is. */
function showSeen(seen: VisualViewport | undefined): void {
  const { documentElement: root, body } = document;
  body.dataset['typing'] = String(seen !== undefined);
  for (const [name, pixels] of [
    ['--seen-height', seen?.height],
    ['--seen-top', seen?.offsetTop],
  ] as const)
    if (pixels === undefined) root.style.removeProperty(name);
    else root.style.setProperty(name, `${pixels}px`);
}
