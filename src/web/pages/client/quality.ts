// The choice of a size: what the line carries, or one that the viewer wants, which is kept for the next video.
import type { ClientTexts, VideoSource } from '../page-data.ts';
import { keptText } from './kept-text.ts';
import { filled, find } from './page-elements.ts';
import type { Player } from './player.ts';
import { type Rung, rungFor } from './rungs.ts';
import type { Shown } from './shown.ts';

const automatic = 'auto';

export interface Quality extends Shown {
  /** The name of the size that was chosen, where there is a smaller one. */
  readonly tooLarge: string | undefined;
  /** What the line carries. */
  readonly isAuto: boolean;
}

/** `sources`: playlists of other sites, one for each size, for which there is no list of all. */
export function startQuality(
  player: Player,
  texts: ClientTexts,
  sources: readonly VideoSource[] = [],
): Quality {
  const { media } = player;
  const choice = find('quality');
  const kept = keptText('browser', 'footlight_quality');
  let wanted = sideOf(kept.read() ?? automatic);
  player.choose(wanted);
  const show = () => {
    const { rungs } = player;
    choice.hidden = sources.length < 2 && rungs.length < 2;
    if (sources.length > 1) setOptions(choice, sources.map(asOption));
    else if (rungs.length > 1) {
      setOptions(choice, optionsOf(player, { isAuto: wanted === undefined, texts }));
      choice.value = wanted === undefined ? automatic : kindOf(rungs[rungFor(rungs, wanted)]);
    }
  };
  choice.addEventListener('change', () => {
    const source = sources.length > 1 ? sources[Number(choice.value)] : undefined;
    if (source) {
      const { captions } = player;
      const { currentTime: atSeconds, paused } = media;
      player.showVideo(source.playlist, { captions, atSeconds, plays: !paused });
      return;
    }
    kept.keep(choice.value);
    wanted = sideOf(choice.value);
    player.choose(wanted);
    show();
  });
  return {
    get isAuto() {
      return wanted === undefined;
    },
    get tooLarge() {
      const { hidden, value, selectedIndex, options } = choice;
      const isChosen = !hidden && value !== automatic && selectedIndex < options.length - 1;
      return isChosen ? options[selectedIndex]?.text : undefined;
    },
    show,
  };
}

type Named = readonly [value: string, name: string];

function asOption({ label }: VideoSource, at: number): Named {
  return [String(at), label];
}

interface Naming {
  texts: ClientTexts;
  /** What plays is the line's choice. */
  isAuto: boolean;
}

/** The largest first, as every player has it. */
function optionsOf({ rungs, rung }: Player, { texts, isAuto }: Naming): Named[] {
  const nameOf = ({ shortSide }: Rung) => (shortSide > 0 ? `${shortSide}p` : texts.sound_only);
  const now = isAuto && rung !== undefined ? rungs[rung] : undefined;
  const auto = now ? filled(texts.quality_auto_now, { quality: nameOf(now) }) : texts.quality_auto;
  const sorted = [...rungs].sort((a, b) => b.shortSide - a.shortSide);
  return [[automatic, auto], ...sorted.map((one): Named => [kindOf(one), nameOf(one)])];
}

function kindOf(rung: Rung | undefined): string {
  return String(rung?.shortSide ?? automatic);
}

/** Those that are right stay as they are: the list may be open. */
function setOptions(choice: HTMLSelectElement, options: readonly Named[]): void {
  const { value } = choice;
  options.forEach(([of, name], at) => {
    const option = choice.options[at] ?? choice.appendChild(new Option());
    if (option.value !== of) option.value = of;
    if (option.text !== name) option.text = name;
  });
  choice.length = options.length;
  if (choice.value !== value && value !== '') choice.value = value;
}

/** As it is kept: the shorter side, or nothing that is a number. */
function sideOf(text: string): number | undefined {
  const side = Number.parseInt(text, 10);
  return side >= 0 ? side : undefined;
}
