// The choice between a video's variants: the other one goes on where this one stood.
import type { VideoSource } from '../page-data.ts';
import { find } from './page-elements.ts';
import type { Player } from './player.ts';

export function startQuality(player: Player, sources: readonly VideoSource[]): void {
  const { media } = player;
  const choice = find('quality');
  choice.hidden = sources.length < 2;
  choice.addEventListener('change', () => {
    const chosen = sources[Number(choice.value)];
    if (!chosen) return;
    player.showVideo(chosen.playlist, { atSeconds: media.currentTime, plays: !media.paused });
  });
}
