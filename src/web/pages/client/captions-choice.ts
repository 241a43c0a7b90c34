// The choice of captions: none, or a language of those that the video has, which is kept for the next one.
import type { CaptionTrack, ClientTexts } from '../page-data.ts';
import { showAnswer } from './answer.ts';
import { setButton } from './buttons.ts';
import { keptText } from './kept-text.ts';
import { languageFor } from './language-match.ts';
import { announce, filled, find } from './page-elements.ts';
import type { Player } from './player.ts';
import type { Shown } from './shown.ts';

const none = 'off';

export interface CaptionsChoice extends Shown {
  /** None where there are some, else those that were shown last, or that the viewer is likely to read. */
  toggle(): void;
}

export function startCaptions(player: Player, texts: ClientTexts): CaptionsChoice {
  const { media } = player;
  const button = find('captions');
  const choice = find('captions-choice');
  const kept = keptText('browser', 'footlight_captions');
  let tracks: readonly CaptionTrack[] = [];
  let elements: readonly HTMLTrackElement[] = [];
  let shown: string | undefined;
  let last: string | undefined;
  const set = (language: string | undefined) => {
    shown = language;
    last = language ?? last;
    for (const { srclang, track } of elements)
      track.mode = srclang === language ? 'showing' : 'disabled';
    const isOn = language !== undefined;
    setButton(button, isOn, isOn ? texts.captions_off : texts.captions_on);
    find('captions-pick').dataset['on'] = String(isOn);
    choice.value = language ?? none;
  };
  const choose = (language: string | undefined) => {
    set(language);
    kept.keep(language ?? none);
  };
  const toggle = () => {
    const liked = [last ?? [], document.documentElement.lang, navigator.languages].flat();
    const some = languageFor(tracks, liked) ?? tracks[0]?.language;
    choose(shown === undefined ? some : undefined);
  };
  button.addEventListener('click', toggle);
  choice.addEventListener('change', () => choose(choice.value === none ? undefined : choice.value));
  // Where a phone plays it full screen its own player has a choice, too.
  media.textTracks.addEventListener('change', () => {
    const showing = elements.find(({ track }) => track.mode === 'showing')?.srclang;
    if (showing !== shown) choose(showing);
  });
  return {
    toggle: () => {
      if (tracks.length === 0) return;
      toggle();
      const label = tracks.find(({ language }) => language === shown)?.label;
      const said =
        label === undefined ? texts.captions_are_off : filled(texts.captions_now, { label });
      showAnswer(said, 'middle');
      announce(said);
    },
    show: () => {
      if (player.captions === tracks) return;
      tracks = player.captions;
      for (const element of elements) element.remove();
      elements = tracks.map(trackElement);
      media.append(...elements);
      const options = tracks.map(({ language, label }) => new Option(label, language));
      choice.replaceChildren(new Option(texts.captions_none, none), ...options);
      button.hidden = tracks.length !== 1;
      find('captions-pick').hidden = tracks.length < 2;
      const wanted = kept.read() ?? none;
      set(wanted === none ? undefined : languageFor(tracks, [wanted]));
    },
  };
}

function trackElement({ language, label, address }: CaptionTrack): HTMLTrackElement {
  const element = document.createElement('track');
  const { track } = element;
  track.addEventListener('cuechange', () => {
    const cues = [...(track.activeCues ?? [])].filter((cue) => cue instanceof VTTCue);
    // What is over stands nowhere: the next is likely to stand where it stood.
    if (cues.length > 0) find('player').dataset['captions'] = cues.every(isHigh) ? 'high' : 'low';
  });
  return Object.assign(element, { kind: 'captions', srclang: language, label, src: address });
}

/** In the upper half, by its own word; a line below 0 is counted from the bottom. */
function isHigh({ line, snapToLines }: VTTCue): boolean {
  return typeof line === 'number' && (snapToLines ? line >= 0 : line < 50);
}
