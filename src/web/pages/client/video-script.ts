// The script of a video's page: player, controls, the choice of quality and of captions.
import { secondsOf } from '../moment.ts';
import type { VideoData } from '../page-data.ts';
import { startControls } from './controls.ts';
import { keepPass } from './kept-pass.ts';
import { find, hideNotStarted, readPageData } from './page-elements.ts';
import { Player } from './player.ts';
import { startSeekBar } from './seek-bar.ts';
import { startShare } from './share-dialog.ts';
import { followShape } from './shown-shape.ts';

const { sources, file, captions, duration, share_url, texts } = readPageData<VideoData>();
const media = find('video');
// Nothing plays before the viewer wants it, and then with its sound.
media.muted = false;
const player = new Player(media, () => controls.show());
const controls = startControls(player, texts, sources);
startSeekBar(player, texts, duration);
followShape(player);

hideNotStarted();
keepPass();
if (share_url !== '')
  startShare({ url: share_url, media, videoUrl: () => share_url, shared: () => {}, texts });

const [source] = player.canPlayStreams ? sources : [];
const atSeconds = momentAsked();
if (source) player.showVideo(source.playlist, { captions, atSeconds });
else if (file !== '') player.showFile(file, { captions, atSeconds });
else find('unsupported').hidden = false;

/** What is none, or lies behind its end, is as if it were not there. */
function momentAsked(): number {
  const seconds = secondsOf(new URLSearchParams(location.search).get('t') ?? '') ?? 0;
  return seconds < duration ? seconds : 0;
}
