// What plots over time are framed by: the field with its shapes, the scale beside it, the times below.
import { useTimes } from '../console-parts.ts';
import { field } from '../minute-plot-shapes.ts';

export interface Shape {
  /** Names its colour in the style. */
  look: string;
  path: string;
}

/** Stretches with the page. */
export function PlotField({ said, shapes }: { said: string; shapes: readonly Shape[] }) {
  return (
    <svg
      role="img"
      aria-label={said}
      viewBox={`0 0 ${field.width} ${field.height}`}
      preserveAspectRatio="none"
    >
      {shapes.map(({ look, path }) => (
        <path key={look} class={`shape ${look}`} d={path} />
      ))}
    </svg>
  );
}

export function PlotHeights({ top }: { top: number }) {
  const times = useTimes();
  return (
    <ol class="plot-heights small-text" aria-hidden="true">
      <li>{times.count(top)}</li>
      <li>{times.count(Math.round(top / 2))}</li>
      <li>0</li>
    </ol>
  );
}

interface TextTick {
  /** From 0 to 1. */
  at: number;
  text: string;
}

/** Behind this its text has no room. */
const tickAtMax = 0.92;

export function PlotTicks({ ticks }: { ticks: readonly TextTick[] }) {
  return (
    <ol class="plot-ticks small-text" aria-hidden="true">
      {ticks
        .filter(({ at }) => at < tickAtMax)
        .map(({ at, text }) => (
          <li key={text} style={{ left: `${at * 100}%` }}>
            {text}
          </li>
        ))}
    </ol>
  );
}
