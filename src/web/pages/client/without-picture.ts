// What is seen while the sound plays alone: the last picture for a moment, then what lies behind the player.
import { find } from './page-elements.ts';
import type { Player } from './player.ts';
import type { Shown } from './shown.ts';

/** A line that falls is without pictures until the next segment: nobody needs to be told of that. */
const momentMs = 2_500;

export function startWithoutPicture(player: Player): Shown {
  const { media } = player;
  const frame = find('player');
  const last = find('last-picture');
  let timer: ReturnType<typeof setTimeout> | undefined;
  let { kind } = player;
  const becomes = (picture: 'moving' | 'last' | 'none') => {
    frame.dataset['picture'] = picture;
  };
  const changed = () => {
    clearTimeout(timer);
    const isAlone = player.isWithoutPicture;
    becomes(isAlone ? 'last' : 'moving');
    last.hidden = !isAlone;
    if (isAlone) timer = setTimeout(() => becomes('none'), momentMs);
  };
  for (const event of ['resize', 'emptied']) media.addEventListener(event, changed);
  return {
    show: () => {
      const { videoWidth: width, videoHeight: height } = media;
      // It is of something else.
      if (player.kind !== kind) last.width = 0;
      kind = player.kind;
      if (!player.isLosingPicture || width === 0 || player.isWithoutPicture) return;
      Object.assign(last, { width, height });
      last.getContext('2d')?.drawImage(media, 0, 0);
    },
  };
}

/** For so long that it is worth a word. */
export function isWithoutPicture(): boolean {
  return find('player').dataset['picture'] === 'none';
}
