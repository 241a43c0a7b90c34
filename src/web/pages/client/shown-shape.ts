// Keeps the player in the shape of the picture that comes, where the page was made for another.
import { isSameShape, shapeName, shapeOf } from '../picture-shape.ts';
import type { Player } from './player.ts';

export function followShape(player: Player): void {
  const { media } = player;
  const { documentElement: root, body } = document;
  const show = () => {
    const { videoWidth: width, videoHeight: height } = media;
    // Between two streams there is none, and its place stays.
    if (width === 0 || height === 0 || player.isWithoutPicture) return;
    const shape = shapeOf({ width, height });
    if (isSameShape(shape, Number(getComputedStyle(root).getPropertyValue('--shape')))) return;
    root.style.setProperty('--shape', String(shape));
    body.dataset['shape'] = shapeName(shape);
  };
  for (const event of ['loadedmetadata', 'resize']) media.addEventListener(event, show);
}
