// The curve of a show's viewers, which grows as the show goes on.
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import { filled } from '../../../pages/client/page-elements.ts';
import { useConsole, useTexts, useTimes } from '../console-parts.ts';
import type { ChannelLive } from '../service-answers.ts';
import type { Times } from '../times.ts';

export function ViewersCurve({ live }: { live: ChannelLive | undefined }) {
  const { control: texts } = useTexts();
  const times = useTimes();
  const begin = live?.show ? times.instant(live.show.begin) : undefined;
  const curve = live?.curve;
  const isThere = curve && begin !== undefined && curve.viewers.length > 1;
  const said = filled(texts.curve_said, {
    now: times.count(live?.viewers ?? 0),
    peak: times.count(live?.peak ?? 0),
  });
  return (
    <figure class="curve" role="img" aria-label={isThere ? said : texts.curve_empty}>
      {isThere ? (
        <Plot points={pointsOf(curve, begin)} />
      ) : (
        <p class="soft small-text">{live ? texts.curve_empty : ''}</p>
      )}
    </figure>
  );
}

type Points = [seconds: number[], viewers: number[]];

/** The last step is not over: it is drawn where it ends. */
export function pointsOf(curve: NonNullable<ChannelLive['curve']>, begin: number): Points {
  const { step_seconds, viewers } = curve;
  return [viewers.map((_, at) => begin / 1000 + at * step_seconds), viewers];
}

const heightPx = 180;

function Plot({ points }: { points: Points }) {
  const { look } = useConsole();
  const times = useTimes();
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | undefined>(undefined);
  const latest = useRef(points);
  latest.current = points;
  const scheme = look.scheme.value;
  const language = look.language.value;
  // Colours and words are drawn into it: with others it is made anew.
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const make = () => {
      plot.current?.destroy();
      const width = element.clientWidth;
      plot.current = new uPlot(optionsOf(element, { width, times }), latest.current, element);
    };
    make();
    const sizes = new ResizeObserver(() =>
      plot.current?.setSize({ width: element.clientWidth, height: heightPx }),
    );
    sizes.observe(element);
    const dark = matchMedia('(prefers-color-scheme: dark)');
    dark.addEventListener('change', make);
    return () => {
      sizes.disconnect();
      dark.removeEventListener('change', make);
      plot.current?.destroy();
      plot.current = undefined;
    };
  }, [scheme, language]);
  useEffect(() => plot.current?.setData(points), [points]);
  return <div class="plot" ref={place} />;
}

function optionsOf(
  element: HTMLElement,
  { width, times }: { width: number; times: Times },
): uPlot.Options {
  const style = getComputedStyle(element);
  const colour = (name: string) => style.getPropertyValue(name).trim();
  const axis = {
    stroke: colour('--on-card-soft'),
    font: `12px ${style.fontFamily}`,
    grid: { stroke: colour('--card-line'), width: 1 },
    ticks: { show: false },
  };
  return {
    width,
    height: heightPx,
    legend: { show: false },
    cursor: { show: false },
    padding: [8, 8, 0, 0],
    scales: { y: { range: (_, __, max) => [0, Math.max(4, Math.ceil(max * 1.1))] } },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: 28,
        space: 70,
        incrs: wholeMinutes,
        values: (_, splits) => splits.map((at) => times.minute(at * 1000)),
      },
      {
        ...axis,
        size: 44,
        space: 40,
        incrs: wholeSteps,
        values: (_, splits) => splits.map((count) => times.count(count)),
      },
    ],
    series: [
      {},
      {
        stroke: colour('--accent'),
        width: 2,
        fill: colour('--accent-wash'),
        points: { show: false },
      },
    ],
  };
}

/** In seconds; the labels have no smaller ones. */
const wholeMinutes = [1, 2, 5, 10, 15, 30, 60, 120, 240, 480].map((minutes) => minutes * 60);
/** Nobody is half a viewer. */
const wholeSteps = [1, 10, 100, 1_000, 10_000, 100_000].flatMap((one) => [one, 2 * one, 5 * one]);
