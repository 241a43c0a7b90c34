// Keeps the player in the shape of the picture that comes, where the page was made for another.
import { isSameShape, shapeName, shapeOf } from '../picture-shape.ts';
import { isStill } from './rungs.ts';

export function followShape(media: HTMLVideoElement): void {
  const { documentElement: root, body } = document;
  const show = () => {
    const { videoWidth: width, videoHeight: height } = media;
    // Between two streams there is none, and its place stays.
    if (width === 0 || height === 0 || isStill(media)) return;
    const shape = shapeOf({ width, height });
    if (isSameShape(shape, Number(getComputedStyle(root).getPropertyValue('--shape')))) return;
    root.style.setProperty('--shape', String(shape));
    body.dataset['shape'] = shapeName(shape);
  };
  for (const event of ['loadedmetadata', 'resize']) media.addEventListener(event, show);
}
