// The page of `trial gap`: one player of the stream in its query, and what is seen of it twenty times a second.
import Hls from 'hls.js/light';
import { Player } from '../../../src/web/pages/client/player.ts';

const query = new URLSearchParams(location.search);
const address = query.get('stream') ?? '';
const video = document.createElement('video');
video.muted = true;
document.body.append(video);

const errors: string[] = [];
const shownAt = opened(query.get('player') ?? '');

function opened(name: string): () => number | undefined {
  if (name === 'ours') {
    const player = new Player(video, () => {});
    player.playLive(address, new URL('show.m3u8', address).href);
    return () => player.shownAt;
  }
  const hls = new Hls({ lowLatencyMode: name === 'hls.js' });
  hls.on(Hls.Events.ERROR, (_, { details, fatal }) => {
    errors.push(`${fatal ? 'FATAL ' : ''}${details}`);
  });
  hls.once(Hls.Events.MEDIA_ATTACHED, () => hls.loadSource(address));
  hls.attachMedia(video);
  video.play();
  return () => hls.playingDate?.getTime();
}

const samples: (readonly [at: number, position: number, shownAt: number])[] = [];
setInterval(() => {
  samples.push([Date.now(), video.currentTime, shownAt() ?? 0]);
}, 50);

Object.assign(window, { seen: { samples, errors } });
