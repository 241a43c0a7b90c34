// The curves of a show's report: who was there, who came and went, how long they stayed, what they saw.
import { filled } from '../../../pages/client/page-elements.ts';
import { useTexts, useTimes } from '../console-parts.ts';
import { areaPath, barsPath, dotsPath, linePath, minuteOf, topOf } from '../minute-plot-shapes.ts';
import type { ShowAudience, ShowReport } from '../service-answers.ts';
import { lengthText } from '../times.ts';
import { MinutePlot } from './minute-plot.tsx';

/** What is drawn: the part of the viewers that is looked at, and all of them behind it. */
export interface PlottedShow {
  whole: Pick<ShowReport, 'minutes' | 'minutes_each'>;
  part: Pick<ShowReport, 'minutes' | 'minutes_each' | 'uv' | 'peak'>;
  isNarrowed: boolean;
  /** Its records are gone: nobody knows who it was. */
  isFrozen: boolean;
  marks: Pick<ShowAudience, 'chat' | 'shares'> | undefined;
}

type Minute = ShowReport['minutes'][number];

const none: Minute = { viewers: 0, came: 0, left: 0, seen: 0, stayed: 0 };

/** A part of the viewers may have come later and gone earlier: it is drawn on the whole show's minutes. */
export function spreadMinutes({ whole, part }: PlottedShow): Minute[] {
  const length = Math.max(whole.minutes.length, part.minutes.length);
  return Array.from({ length }, (_, at) => part.minutes[at] ?? none);
}

interface PlotProps {
  show: PlottedShow;
  onPick(second: number): void;
}

export function ViewersPlot(props: PlotProps & { chosen: number | undefined }) {
  const { shows: texts } = useTexts();
  const times = useTimes();
  const { show, chosen, onPick } = props;
  const minutes = spreadMinutes(show);
  const each = show.whole.minutes_each;
  const scale = { count: minutes.length, each };
  const viewers = minutes.map((one) => one.viewers);
  const all = minutes.map((_, at) => show.whole.minutes[at]?.viewers ?? 0);
  const top = topOf(all.concat(viewers));
  const chat = minutes.map((_, at) => show.marks?.chat[at] ?? 0);
  const shares = minutes.map((_, at) => show.marks?.shares[at] ?? 0);
  const textOf = (second: number) => {
    const minute = minuteOf(second, each);
    const one = minutes[minute] ?? none;
    return filled(texts.at_minute, {
      time: lengthText(second),
      viewers: times.count(one.viewers),
      came: times.count(one.came),
      left: times.count(one.left),
      chat: times.count(chat[minute] ?? 0),
      shares: times.count(shares[minute] ?? 0),
    });
  };
  const wholeSeconds = scale.count * each * 60;
  return (
    <MinutePlot
      title={texts.curve}
      said={filled(texts.curve_said, { peak: times.count(show.part.peak) })}
      hint={show.isFrozen ? texts.curve_hint_frozen : texts.curve_hint}
      look="tall"
      scale={scale}
      top={top}
      shapes={[
        ...(show.isNarrowed ? [{ look: 'all-viewers', path: areaPath(all, top) }] : []),
        { look: 'viewers-area', path: areaPath(viewers, top) },
        { look: 'chat-marks', path: barsPath(chat, topOf(chat) * 5) },
        { look: 'viewers-line', path: linePath(viewers, top) },
        { look: 'share-marks', path: dotsPath(shares, viewers, top) },
      ]}
      textOf={textOf}
      onPick={onPick}
      chosen={chosen}
      legend={
        <>
          {show.isNarrowed && <span data-look="all-viewers">{texts.all_viewers}</span>}
          <span data-look="chat-marks">{texts.chat}</span>
          <span data-look="share-marks">{texts.shares}</span>
        </>
      }
    >
      {scale.count > 0 && (
        <input
          class="moment-slider"
          type="range"
          aria-label={texts.pick}
          aria-valuetext={textOf(chosen ?? 0)}
          min={0}
          max={wholeSeconds - 1}
          step={10 * each}
          value={chosen ?? 0}
          onChange={(event) => onPick(Number(event.currentTarget.value))}
        />
      )}
    </MinutePlot>
  );
}

export function FlowPlot(props: {
  show: PlottedShow;
  /** Undefined where who it was is not known any more. */
  onPick: ((which: 'came' | 'left', minute: number) => void) | undefined;
}) {
  const { shows: texts } = useTexts();
  const times = useTimes();
  const { onPick } = props;
  const minutes = spreadMinutes(props.show);
  const each = props.show.whole.minutes_each;
  const came = minutes.map((one) => one.came);
  const left = minutes.map((one) => one.left);
  const top = topOf(came.concat(left));
  return (
    <MinutePlot
      title={texts.flow}
      said={texts.flow_said}
      hint={onPick ? texts.flow_hint : ''}
      look="low"
      scale={{ count: minutes.length, each }}
      shapes={[
        { look: 'came-bars', path: barsPath(came, top, 'above') },
        { look: 'left-bars', path: barsPath(left, top, 'below') },
      ]}
      textOf={(second) => {
        const one = minutes[minuteOf(second, each)] ?? none;
        return filled(texts.flow_minute, {
          time: lengthText(minuteOf(second, each) * each * 60),
          came: times.count(one.came),
          left: times.count(one.left),
        });
      }}
      onPick={
        onPick && ((second, isAbove) => onPick(isAbove ? 'came' : 'left', minuteOf(second, each)))
      }
      legend={
        <>
          <span data-look="came-bars">{texts.came}</span>
          <span data-look="left-bars">{texts.left}</span>
        </>
      }
    />
  );
}

export function StayedPlot({ show }: { show: PlottedShow }) {
  const { shows: texts } = useTexts();
  const { part } = show;
  const stayed = part.minutes.map((one) => one.stayed);
  const textOf = useShareText(part, 'stayed', texts.stayed_minute);
  return (
    <MinutePlot
      title={texts.stayed}
      said={texts.stayed_said}
      hint={texts.stayed_hint}
      look="low"
      scale={{ count: stayed.length, each: part.minutes_each }}
      top={topOf(stayed)}
      shapes={[
        { look: 'viewers-area', path: areaPath(stayed, topOf(stayed)) },
        { look: 'viewers-line', path: linePath(stayed, topOf(stayed)) },
      ]}
      textOf={textOf}
    />
  );
}

export function SeenPlot(props: {
  show: PlottedShow;
  /** The same. */
  onPick: ((minute: number) => void) | undefined;
}) {
  const { show, onPick } = props;
  const { shows: texts } = useTexts();
  const { part } = show;
  const each = show.whole.minutes_each;
  const minutes = spreadMinutes(show);
  const seen = minutes.map((one) => one.seen);
  const textOf = useShareText({ ...part, minutes }, 'seen', texts.seen_minute);
  return (
    <MinutePlot
      title={texts.seen}
      said={texts.seen_said}
      hint={onPick ? texts.seen_hint : ''}
      look="low"
      scale={{ count: seen.length, each }}
      top={topOf(seen)}
      shapes={[{ look: 'seen-bars', path: barsPath(seen, topOf(seen)) }]}
      textOf={textOf}
      onPick={onPick && ((second) => onPick(minuteOf(second, each)))}
    />
  );
}

/** How many of the viewers, and which part of them that is. */
function useShareText(
  { minutes, minutes_each: each, uv }: Pick<PlottedShow['part'], 'minutes' | 'minutes_each' | 'uv'>,
  name: 'stayed' | 'seen',
  sentence: string,
) {
  const times = useTimes();
  return (second: number) => {
    const minute = minuteOf(second, each);
    const count = minutes[minute]?.[name] ?? 0;
    return filled(sentence, {
      time: lengthText(minute * each * 60),
      count: times.count(count),
      percent: times.count(uv === 0 ? 0 : (count / uv) * 100, 1),
    });
  };
}
