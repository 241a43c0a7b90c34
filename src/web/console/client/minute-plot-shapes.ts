// The shapes of a plot by minutes: paths on a field of fixed size that the page stretches, ticks, and which minute lies where.

export const field = { width: 1_000, height: 100 };

/** A line through the middle of each minute, flat towards the edges. */
export function linePath(values: readonly number[], top: number): string {
  if (values.length === 0) return '';
  const each = field.width / values.length;
  const points = values.map((value, at) => `${short((at + 0.5) * each)},${heightAt(value, top)}`);
  return `M0,${heightAt(values[0] ?? 0, top)}L${points.join('L')}L${field.width},${heightAt(values.at(-1) ?? 0, top)}`;
}

/** The same, closed along the bottom. */
export function areaPath(values: readonly number[], top: number): string {
  if (values.length === 0) return '';
  return `${linePath(values, top)}V${field.height}H0Z`;
}

/** A bar a minute: from the bottom up, or from the middle up or down, each half its own field. */
export function barsPath(
  values: readonly number[],
  top: number,
  stands: 'bottom' | 'above' | 'below' = 'bottom',
): string {
  const each = field.width / Math.max(1, values.length);
  const gap = Math.min(each * 0.2, 4);
  const ground = stands === 'bottom' ? field.height : field.height / 2;
  const room = stands === 'bottom' ? field.height : field.height / 2;
  const up = stands === 'below' ? 1 : -1;
  return values
    .map((value, at) => {
      if (value <= 0) return '';
      const length = short(Math.min(1, value / Math.max(1, top)) * room * up);
      return `M${short(at * each + gap / 2)},${ground}v${length}h${short(each - gap)}v${-length}z`;
    })
    .join('');
}

/** A dot above each minute that has any, at the height of another line; drawn as lines without length. */
export function dotsPath(values: readonly number[], on: readonly number[], top: number): string {
  const each = field.width / Math.max(1, on.length, values.length);
  return values
    .map((value, at) =>
      value > 0 ? `M${short((at + 0.5) * each)},${heightAt(on[at] ?? 0, top)}h0` : '',
    )
    .join('');
}

/** Where the scale ends: a number people know, so that the largest has some room above it. */
export function topOf(values: readonly number[]): number {
  const most = values.reduce((highest, one) => Math.max(highest, one), 0);
  const wanted = Math.max(4, most * 1.08);
  const size = 10 ** Math.floor(Math.log10(wanted));
  const known = [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10].find((one) => one * size >= wanted) ?? 10;
  return Math.ceil(known * size);
}

export interface Tick {
  /** Seconds from the beginning on. */
  seconds: number;
  /** From 0 to 1. */
  at: number;
}

/** A few times that people know by heart. */
export function ticksOf(
  { count, each }: { count: number; each: number },
  ticksMax: number,
): Tick[] {
  const whole = count * each;
  const step =
    usualSteps.find((minutes) => whole / minutes <= ticksMax) ?? Math.ceil(whole / ticksMax);
  const ticks: Tick[] = [];
  for (let minute = 0; minute < whole || minute === 0; minute += step)
    ticks.push({ seconds: minute * 60, at: whole === 0 ? 0 : minute / whole });
  return ticks;
}

const usualSteps = [1, 2, 5, 10, 15, 30, 60, 120, 240, 480, 720, 1_440, 2_880, 10_080];

export interface ClockTick {
  /** The instant in ms. */
  time: number;
  /** From 0 to 1. */
  at: number;
}

/** A few whole minutes of the clock within a stretch of it. */
export function clockTicks(
  { begin, lengthMs }: { begin: number; lengthMs: number },
  ticksMax: number,
): ClockTick[] {
  const minutes = lengthMs / minuteMs;
  const step =
    minuteMs *
    (usualSteps.find((one) => minutes / one < ticksMax) ?? Math.ceil(minutes / ticksMax));
  const ticks: ClockTick[] = [];
  for (let time = Math.ceil(begin / step) * step; time < begin + lengthMs; time += step)
    ticks.push({ time, at: (time - begin) / lengthMs });
  return ticks;
}

const minuteMs = 60_000;

/** Of a place between 0 and 1, the second. */
export function secondAt(
  fraction: number,
  { count, each }: { count: number; each: number },
): number {
  const whole = count * each * 60;
  return Math.max(0, Math.min(whole - 1, Math.floor(fraction * whole)));
}

/** Which of the report's minutes a second lies in. */
export function minuteOf(second: number, each: number): number {
  return Math.floor(second / (each * 60));
}

function heightAt(value: number, top: number): number {
  return short(field.height - (value / Math.max(1, top)) * field.height);
}

function short(number: number): number {
  return Math.round(number * 100) / 100;
}
