// Runs in the browser: the time that a shown picture tells, which was drawn into it when it was made.
import { columns, readTime, rows } from '../bar-code.ts';

/** Each cell is this wide and high on the canvas; its middle is looked at. */
const cellPixels = 9;

/** Of what the element shows now; undefined where no time can be read in it. `share`: of its height, from the top, that the cells take. */
export function timeReader({
  share = 1,
} = {}): (video: HTMLVideoElement, nowMs: number) => number | undefined {
  const canvas = document.createElement('canvas');
  canvas.width = columns * cellPixels;
  canvas.height = rows * cellPixels;
  const context = canvas.getContext('2d', { willReadFrequently: true });
  if (!context) throw new Error('this browser draws no canvas');
  return (video, nowMs) => {
    const { width, height } = canvas;
    const { videoWidth, videoHeight } = video;
    context.drawImage(video, 0, 0, videoWidth, videoHeight * share, 0, 0, width, height);
    const { data } = context.getImageData(0, 0, width, height);
    const shades = Array.from({ length: columns * rows }, (_, cell) => {
      const x = Math.floor(((cell % columns) + 0.5) * cellPixels);
      const y = Math.floor((Math.floor(cell / columns) + 0.5) * cellPixels);
      return data[(y * width + x) * 4] ?? 0;
    });
    return readTime(shades, nowMs);
  };
}
