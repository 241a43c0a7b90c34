// The page that bench latency opens: plays a stream and reads the time out of each picture.
import Hls from 'hls.js';
import { keepAtLiveEdge } from '../../../src/web/pages/client/live-player.ts';
import { timeReader } from '../../../test/support/browser/shown-time.ts';
import type { Sample } from '../latency-figures.ts';

const samples: Sample[] = [];
const errors: string[] = [];
const address = new URLSearchParams(location.search);
const video = document.createElement('video');
video.muted = true;
document.body.append(video);
const madeAtOf = timeReader();

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
  const madeAt = madeAtOf(video, atMs);
  samples.push({
    atMs,
    latencyMs: madeAt === undefined ? undefined : atMs - madeAt,
    rate: video.playbackRate,
    marginMs: kept?.marginMs ?? 0,
  });
  video.requestVideoFrameCallback(shown);
}

Object.assign(window, { latency: { samples, errors } });
