// The script of a video's page: player, controls, the choice of quality.
import type { VideoData } from '../page-data.ts';
import { startControls } from './controls.ts';
import { find, hideNotStarted, readPageData } from './page-elements.ts';
import { Player } from './player.ts';
import { startSeekBar } from './seek-bar.ts';
import { followShape } from './shown-shape.ts';

const { sources, file, duration, texts } = readPageData<VideoData>();
const media = find('video');
// Nothing plays before the viewer wants it, and then with its sound.
media.muted = false;
const player = new Player(media, () => controls.show());
const controls = startControls(player, texts, sources);
startSeekBar(player, texts, duration);
followShape(media);

hideNotStarted();

const [source] = player.canPlayStreams ? sources : [];
if (source) player.showVideo(source.playlist);
else if (file !== '') player.showFile(file);
else find('unsupported').hidden = false;
