// The page that the browser test opens: hls.js plays the address in its query, held at the live edge if it is live.
import Hls from 'hls.js';
import { keepAtLiveEdge } from '../../src/web/pages/client/live-player.ts';

const address = new URLSearchParams(location.search);
const video = document.createElement('video');
video.muted = true;
document.body.append(video);

const errors: string[] = [];
const hls = new Hls();
hls.on(Hls.Events.ERROR, (_, { details, fatal, error }) => {
  if (fatal) errors.push(`${details}: ${error.message}`);
});
const first: { edge?: number; picture?: number } = {};
hls.once(Hls.Events.LEVEL_LOADED, (_, { details }) => {
  first.edge = details.edge;
});
video.requestVideoFrameCallback((_, { mediaTime }) => {
  first.picture = mediaTime;
});
// In this order: what is attached later makes hls.js choose its place anew.
hls.once(Hls.Events.MEDIA_ATTACHED, () => hls.loadSource(address.get('stream') ?? ''));
hls.attachMedia(video);
if (address.has('live')) keepAtLiveEdge(video, hls);

/** Set before anything plays, so that the test can wait for what it tells. */
Object.assign(window, {
  player: {
    video,
    errors,
    /** Where the list ended when it was first read, and where the first picture stood; seconds. */
    first,
    /** Seconds from what is shown to the end of what the playlist lists. */
    behind: () => (hls.latestLevelDetails?.edge ?? Number.NaN) - video.currentTime,
  },
});
await video.play();
