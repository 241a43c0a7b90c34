// A plot by minutes: shapes that stretch with the page, in the page's colours, also on paper; what one points at is read above it.
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { secondAt, ticksOf } from '../minute-plot-shapes.ts';
import { lengthText } from '../times.ts';
import { PlotField, PlotHeights, PlotTicks, type Shape } from './plot-frame.tsx';

interface MinutePlotProps {
  title: string;
  /** For those who hear the page. */
  said: string;
  hint: string;
  /** How many minutes there are, and how many each of them stands for. */
  scale: { count: number; each: number };
  /** Where the scale ends; undefined where it has no numbers. */
  top?: number;
  look: 'tall' | 'low';
  shapes: Shape[];
  /** What is said of a second that one points at. */
  textOf(second: number): string;
  /** Of a click: the second, and whether it was in the upper half. */
  onPick?: ((second: number, isAbove: boolean) => void) | undefined;
  /** The second that is looked at. */
  chosen?: number | undefined;
  legend?: ComponentChildren;
  children?: ComponentChildren;
}

const ticksMax = 8;

export function MinutePlot(props: MinutePlotProps) {
  const { title, said, hint, scale, look, shapes, textOf, onPick, chosen, legend } = props;
  const [pointed, point] = useState<number | undefined>(undefined);
  const wholeSeconds = scale.count * scale.each * 60;
  const secondIn = (event: MouseEvent & { currentTarget: HTMLElement }) => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    return secondAt((event.clientX - left) / Math.max(1, width), scale);
  };
  const read = pointed ?? chosen;
  const isThere = scale.count > 0;
  return (
    <section class="card panel plot-card" aria-label={title}>
      <header class="plot-head">
        <h2>{title}</h2>
        {legend && <p class="legend small-text">{legend}</p>}
        <p class="readout soft small-text">{isThere && read !== undefined ? textOf(read) : hint}</p>
      </header>
      <div class="minute-plot" data-look={look}>
        {props.top !== undefined && <PlotHeights top={props.top} />}
        {/* biome-ignore lint/a11y/noStaticElementInteractions: the keyboard has the slider and the links of a moment */}
        {/* biome-ignore lint/a11y/useKeyWithClickEvents: the same */}
        <div
          class={`plot-field${onPick && isThere ? ' is-picked' : ''}`}
          onPointerMove={(event) => point(secondIn(event))}
          onPointerLeave={() => point(undefined)}
          onClick={(event) => {
            if (!onPick || !isThere) return;
            const { top, height } = event.currentTarget.getBoundingClientRect();
            onPick(secondIn(event), event.clientY < top + height / 2);
          }}
        >
          <PlotField said={said} shapes={shapes} />
          {isThere && read !== undefined && (
            <span class="plot-cursor" style={{ left: `${((read + 0.5) / wholeSeconds) * 100}%` }} />
          )}
        </div>
        <PlotTicks
          ticks={ticksOf(scale, ticksMax).map(({ seconds, at }) => ({
            at,
            text: lengthText(seconds),
          }))}
        />
      </div>
      {props.children}
    </section>
  );
}
