// The player's keys: which key does what, and when it is somebody else's.
import type { PageId } from '../page-ids.ts';

export type KeyAction =
  | { do: 'toggle' }
  | { do: 'mute' }
  | { do: 'fullscreen' }
  /** Videos only. */
  | { do: 'captions' }
  /** A share of the loudest. */
  | { do: 'volume'; by: number }
  /** Steps; videos only. */
  | { do: 'speed'; by: number }
  /** Seconds, as far as there is something to go back to. */
  | { do: 'skip'; by: number }
  /** A share of the whole, 0 to 1. */
  | { do: 'seek'; to: number };

/** What the key is pressed on. */
export type KeyTarget = 'text' | 'button' | 'slider' | 'seek' | 'player' | 'nothing' | 'other';

const arrowSeconds = 5;
const letterSeconds = 10;
const volumeStep = 0.05;

export function actionOf(key: string, target: KeyTarget): KeyAction | undefined {
  // In a text field keys are letters, and elsewhere in the page they scroll it.
  if (target === 'text' || target === 'other') return undefined;
  if (key === ' ') return target === 'button' ? undefined : { do: 'toggle' };
  if (key.startsWith('Arrow')) return arrowAction(key, target);
  if (/^\d$/.test(key)) return { do: 'seek', to: Number(key) / 10 };
  return letterActions.get(key.toLowerCase());
}

const letterActions = new Map<string, KeyAction>([
  ['k', { do: 'toggle' }],
  ['m', { do: 'mute' }],
  ['f', { do: 'fullscreen' }],
  ['c', { do: 'captions' }],
  ['<', { do: 'speed', by: -1 }],
  ['>', { do: 'speed', by: 1 }],
  ['j', { do: 'skip', by: -letterSeconds }],
  ['l', { do: 'skip', by: letterSeconds }],
]);

const switches: readonly KeyAction['do'][] = ['toggle', 'mute', 'fullscreen', 'captions'];

function arrowAction(key: string, target: KeyTarget): KeyAction | undefined {
  if (target === 'slider') return undefined;
  // By itself the bar would go on by its smallest step, a tenth of a second.
  if (target === 'seek') {
    const isBack = key === 'ArrowLeft' || key === 'ArrowDown';
    return { do: 'skip', by: isBack ? -arrowSeconds : arrowSeconds };
  }
  if (key === 'ArrowLeft') return { do: 'skip', by: -arrowSeconds };
  if (key === 'ArrowRight') return { do: 'skip', by: arrowSeconds };
  // Up and down scroll the page, unless the player itself was chosen.
  if (target === 'nothing') return undefined;
  return { do: 'volume', by: key === 'ArrowUp' ? volumeStep : -volumeStep };
}

/** Calls for each key that is the player's, and keeps it from the page. */
export function listenToKeys(player: HTMLElement, act: (action: KeyAction) => void): void {
  document.addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    const action = actionOf(event.key, targetOf(event.target, player));
    if (!action) return;
    // Held down, a switch would flicker.
    if (!(switches.includes(action.do) && event.repeat)) act(action);
    event.preventDefault();
  });
}

function targetOf(target: EventTarget | null, player: HTMLElement): KeyTarget {
  if (!(target instanceof HTMLElement) || target === document.body) return 'nothing';
  if (target instanceof HTMLInputElement && target.type === 'range')
    return target.id === ('seek' satisfies PageId) ? 'seek' : 'slider';
  if (target.isContentEditable || target.matches('input, textarea, select')) return 'text';
  if (!player.contains(target)) return 'other';
  return target.matches('button, a, summary') ? 'button' : 'player';
}
