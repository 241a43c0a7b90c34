// The control bar that the server rendered, driven: buttons, volume, full screen, what the keys do.
import type { ClientTexts, VideoSource } from '../page-data.ts';
import { setButton, setShare } from './buttons.ts';
import { type CaptionsChoice, startCaptions } from './captions-choice.ts';
import { startCast } from './cast.ts';
import { startDoubleTap } from './double-tap.ts';
import { type KeyAction, listenToKeys } from './keyboard.ts';
import { find, showMessage } from './page-elements.ts';
import type { Player } from './player.ts';
import { startQuality } from './quality.ts';
import { fadeWhenQuiet } from './quiet.ts';
import { type Screen, startScreen } from './screen.ts';
import type { Shown } from './shown.ts';
import { startSlowLine } from './slow-line.ts';
import { type Speed, startSpeed } from './speed.ts';
import { startWithoutPicture } from './without-picture.ts';

/** A slow check for what no event tells: falling behind the live edge. */
const checkEveryMs = 1_000;

const shownEvents = ['play', 'playing', 'pause', 'waiting', 'ended', 'volumechange', 'emptied'];

/** `sources`: of a video for whose sizes there is no list of all. */
export function startControls(
  player: Player,
  texts: ClientTexts,
  sources?: readonly VideoSource[],
): Shown {
  const { media } = player;
  const frame = find('player');
  const screen = startScreen(frame, media, texts);
  const sound = startSound(media, texts);
  const trouble = startTrouble(player, texts);
  const quality = startQuality(player, texts, sources);
  const withoutPicture = startWithoutPicture(player);
  startSlowLine(player, quality, texts);
  const cast = startCast(player, texts);
  const captions = startCaptions(player, texts);
  const show = () => {
    showPlayback(player, texts);
    trouble.show();
    showLiveEdge(player, texts);
    sound.show();
    quality.show();
    withoutPicture.show();
    cast.show();
    captions.show();
  };
  for (const event of shownEvents) media.addEventListener(event, show);
  setInterval(() => showLiveEdge(player, texts), checkEveryMs);
  find('play').addEventListener('click', () => player.toggle());
  find('live-edge').addEventListener('click', () => player.goToEdge());
  find('big-play').addEventListener('click', () => player.play());
  // Not asked of the click itself: in Safari it does not say what made it.
  let pointer = 'mouse';
  media.addEventListener('pointerdown', ({ pointerType }) => {
    pointer = pointerType;
  });
  media.addEventListener('click', () => {
    // A finger on the picture asks for the controls.
    if (pointer !== 'touch') player.toggle();
  });
  const doubleTap = startDoubleTap(player, texts);
  media.addEventListener('dblclick', () => {
    if (!doubleTap.hasSkipped) screen.toggle();
  });
  const speed = startSpeed(player, texts);
  listenToKeys(frame, (action) => perform(action, { player, screen, speed, captions }));
  fadeWhenQuiet(frame, media);
  show();
  return { show };
}

function showPlayback(player: Player, texts: ClientTexts): void {
  const { media, kind, playback } = player;
  find('player').dataset['playback'] = playback;
  const isOn = !media.paused;
  setButton(find('play'), isOn, isOn ? texts.pause : texts.play);
  const isUntouched = kind !== 'none' && media.paused && media.played.length === 0;
  find('big-play').hidden = !isUntouched || playback === 'failed';
}

/** Takes away only the message that it has shown: there are others. */
function startTrouble(player: Player, texts: ClientTexts): Shown {
  let isTold = false;
  return {
    show: () => {
      const isFailed = player.playback === 'failed';
      const isOn = player.kind === 'live' || player.kind === 'show';
      const text = isOn ? texts.cannot_play : texts.video_failed;
      if (isFailed !== isTold) showMessage(isFailed ? text : undefined);
      isTold = isFailed;
    },
  };
}

function showLiveEdge({ kind, isAtEdge }: Player, texts: ClientTexts): void {
  const isOn = kind === 'live' && isAtEdge;
  const name = isOn ? texts.at_live_edge : texts.go_to_live_edge;
  setButton(find('live-edge'), isOn, name);
}

function startSound(media: HTMLVideoElement, texts: ClientTexts): Shown {
  const mute = find('mute');
  const unmute = find('unmute');
  const volume = find('volume');
  // A viewer who mutes it later knows how to undo it.
  let wasHeard = false;
  mute.addEventListener('click', () => toggleSound(media));
  unmute.addEventListener('click', () => toggleSound(media));
  volume.addEventListener('input', () => setVolume(media, volume.valueAsNumber / 100));
  return {
    show: () => {
      const { muted, paused } = media;
      wasHeard ||= !muted && !paused;
      unmute.hidden = wasHeard || paused || !muted;
      setButton(mute, muted, muted ? texts.unmute : texts.mute);
      const share = muted ? 0 : media.volume;
      volume.value = String(Math.round(share * 100));
      setShare(volume, '--done', share);
    },
  };
}

function toggleSound(media: HTMLVideoElement): void {
  media.muted = !media.muted;
  // Unmuted at volume 0 would still be silent.
  if (!media.muted && media.volume === 0) media.volume = 0.5;
}

function setVolume(media: HTMLVideoElement, volume: number): void {
  media.volume = Math.min(1, Math.max(0, volume));
  media.muted = media.volume === 0;
}

interface Performers {
  player: Player;
  screen: Screen;
  speed: Speed;
  captions: CaptionsChoice;
}

function perform(action: KeyAction, { player, screen, speed, captions }: Performers): void {
  const { media } = player;
  switch (action.do) {
    case 'toggle':
      player.toggle();
      break;
    case 'mute':
      toggleSound(media);
      break;
    case 'fullscreen':
      screen.toggle();
      break;
    case 'captions':
      captions.toggle();
      break;
    case 'volume':
      setVolume(media, (media.muted ? 0 : media.volume) + action.by);
      break;
    case 'speed':
      speed.change(action.by);
      break;
    case 'skip':
      player.skip(action.by);
      break;
    case 'seek':
      player.seekShare(action.to);
  }
}
