// Put into a page before its own scripts: what its player showed, and when; kept as `globalThis.lineDiary`.
import { timeReader } from '../../../test/support/browser/shown-time.ts';
import type { LineDiary } from '../watched-line.ts';

/** The time in a picture is read so often: each reading costs the machine that is measured. */
const readEveryMs = 250;

const diary: LineDiary = { pictures: [], latencies: [], positions: [] };
Object.assign(globalThis, { lineDiary: diary });

// The element is there before it has anything to show, and is the page's only one.
document.addEventListener(
  'loadstart',
  ({ target }) => {
    if (target instanceof HTMLVideoElement && !followed.has(target)) follow(target);
  },
  true,
);

const followed = new WeakSet<HTMLVideoElement>();

function follow(video: HTMLVideoElement): void {
  followed.add(video);
  const madeAtOf = timeReader({ share: 0.5 });
  let readAt = Number.NEGATIVE_INFINITY;
  const shown = () => {
    const atMs = performance.now();
    diary.pictures.push([atMs, video.videoHeight]);
    if (atMs - readAt >= readEveryMs) {
      readAt = atMs;
      const nowMs = Date.now();
      const madeAt = madeAtOf(video, nowMs);
      if (madeAt !== undefined) diary.latencies.push([atMs, nowMs - madeAt]);
    }
    video.requestVideoFrameCallback(shown);
  };
  video.requestVideoFrameCallback(shown);
  // The sound goes on where the picture stands: a stream without pictures is watched by its position.
  setInterval(() => {
    const { buffered, currentTime } = video;
    const end = buffered.length > 0 ? buffered.end(buffered.length - 1) : currentTime;
    diary.positions.push([performance.now(), currentTime, end - currentTime]);
  }, 50);
}
