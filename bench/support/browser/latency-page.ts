// The page that bench latency opens: plays a stream and reads the time out of each picture.
import Hls from 'hls.js';
import { keepAtLiveEdge } from '../../../src/web/pages/client/live-player.ts';
import { columns, readTime, rows } from '../bar-code.ts';
import type { Sample } from '../latency-figures.ts';

/** Each cell is this wide and high on the canvas; its middle is looked at. */
const cellPixels = 9;

const samples: Sample[] = [];
const errors: string[] = [];
const address = new URLSearchParams(location.search);
const video = document.createElement('video');
video.muted = true;
document.body.append(video);
const canvas = document.createElement('canvas');
canvas.width = columns * cellPixels;
canvas.height = rows * cellPixels;
const context = canvas.getContext('2d', { willReadFrequently: true });

const hls = new Hls();
hls.on(Hls.Events.ERROR, (_, { details, fatal }) => {
  errors.push(fatal ? `${details} (fatal)` : details);
});
// In this order: what is attached later makes hls.js choose its place anew.
hls.once(Hls.Events.MEDIA_ATTACHED, () => hls.loadSource(address.get('stream') ?? ''));
hls.attachMedia(video);
const kept = address.get('player') === 'ours' ? keepAtLiveEdge(video, hls) : undefined;
video.requestVideoFrameCallback(shown);
await video.play();

function shown(): void {
  const atMs = Date.now();
  const madeAt = readTime(shadesOf(video), atMs);
  samples.push({
    atMs,
    latencyMs: madeAt === undefined ? undefined : atMs - madeAt,
    rate: video.playbackRate,
    marginMs: kept?.marginMs ?? 0,
  });
  video.requestVideoFrameCallback(shown);
}

function shadesOf(picture: HTMLVideoElement): number[] {
  if (!context) throw new Error('this browser draws no canvas');
  context.drawImage(picture, 0, 0, canvas.width, canvas.height);
  const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
  return Array.from({ length: columns * rows }, (_, cell) => {
    const x = ((cell % columns) + 0.5) * cellPixels;
    const y = (Math.floor(cell / columns) + 0.5) * cellPixels;
    return data[(Math.floor(y) * canvas.width + Math.floor(x)) * 4] ?? 0;
  });
}

Object.assign(window, { latency: { samples, errors } });
