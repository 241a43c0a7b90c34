// The choice of how fast a recording plays, which is kept for the next one.
import type { ClientTexts } from '../page-data.ts';
import { speedName, speeds } from '../speeds.ts';
import { showAnswer } from './answer.ts';
import { keptText } from './kept-text.ts';
import { announce, filled, find } from './page-elements.ts';
import type { Player } from './player.ts';

export interface Speed {
  /** So many steps faster, or slower. */
  change(by: number): void;
}

export function startSpeed(player: Player, texts: ClientTexts): Speed {
  const choice = find('speed');
  const kept = keptText('browser', 'footlight_speed');
  const set = (speed: number) => {
    choice.value = String(speed);
    player.speed = speed;
  };
  set(speedOf(kept.read()));
  const choose = (speed: number) => {
    set(speed);
    kept.keep(String(speed));
  };
  choice.addEventListener('change', () => choose(speedOf(choice.value)));
  return {
    change: (by) => {
      // A live show has one speed.
      if (player.kind === 'live' || player.kind === 'show') return;
      choose(speedAfter(player.speed, by));
      const name = speedName(player.speed);
      showAnswer(name, 'middle');
      announce(filled(texts.speed_now, { speed: name }));
    },
  };
}

/** As it always was where nothing is kept, or what no page of ours has. */
export function speedOf(text: string | undefined): number {
  return speeds.find((speed) => String(speed) === text) ?? 1;
}

export function speedAfter(speed: number, by: number): number {
  const at = speeds.findIndex((one) => one >= speed) + by;
  return speeds[Math.min(speeds.length - 1, Math.max(0, at))] ?? 1;
}
