// The times of WebVTT, in milliseconds.

const pattern = /^(?:(\d{2,5}):)?([0-5]\d):([0-5]\d)\.(\d{3})$/;

/** Of `01:02:03.500`, whose hours may be left out; undefined where it is none. */
export function timeMs(text: string): number | undefined {
  const [, hours = '0', minutes, seconds, ms] = pattern.exec(text) ?? [];
  if (minutes === undefined) return undefined;
  return ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1_000 + Number(ms);
}

export function timeText(ms: number): string {
  const two = (count: number) => String(Math.floor(count)).padStart(2, '0');
  const seconds = `${two((ms / 1_000) % 60)}.${String(ms % 1_000).padStart(3, '0')}`;
  return `${two(ms / 3_600_000)}:${two((ms / 60_000) % 60)}:${seconds}`;
}
