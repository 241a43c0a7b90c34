// A plot by minutes: shapes that stretch with the page, in the page's colours, also on paper; what one points at is read above it.
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { useTimes } from '../console-parts.ts';
import { field, secondAt, ticksOf } from '../minute-plot-shapes.ts';
import { lengthText } from '../times.ts';

export interface Shape {
  /** Names its colour in the style. */
  look: string;
  path: string;
}

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
/** Behind this its text has no room. */
const tickAtMax = 0.92;

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
        {props.top !== undefined && <Heights top={props.top} />}
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
          <svg
            role="img"
            aria-label={said}
            viewBox={`0 0 ${field.width} ${field.height}`}
            preserveAspectRatio="none"
          >
            {shapes.map(({ look: name, path }) => (
              <path key={name} class={`shape ${name}`} d={path} />
            ))}
          </svg>
          {isThere && read !== undefined && (
            <span class="plot-cursor" style={{ left: `${((read + 0.5) / wholeSeconds) * 100}%` }} />
          )}
        </div>
        <Ticks scale={scale} />
      </div>
      {props.children}
    </section>
  );
}

function Heights({ top }: { top: number }) {
  const times = useTimes();
  return (
    <ol class="plot-heights small-text" aria-hidden="true">
      <li>{times.count(top)}</li>
      <li>{times.count(Math.round(top / 2))}</li>
      <li>0</li>
    </ol>
  );
}

function Ticks({ scale }: { scale: MinutePlotProps['scale'] }) {
  return (
    <ol class="plot-ticks small-text" aria-hidden="true">
      {ticksOf(scale, ticksMax)
        .filter(({ at }) => at < tickAtMax)
        .map(({ seconds, at }) => (
          <li key={seconds} style={{ left: `${at * 100}%` }}>
            {lengthText(seconds)}
          </li>
        ))}
    </ol>
  );
}
