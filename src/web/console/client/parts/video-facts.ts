// How long a video is and how large, as one reads it.

/** `1:02:03`, and below an hour `2:03`. */
export function playTime(seconds: number): string {
  const two = (part: number) => String(part).padStart(2, '0');
  const hours = Math.floor(seconds / 3_600);
  const minutes = Math.floor(seconds / 60) % 60;
  const rest = two(seconds % 60);
  return hours > 0 ? `${hours}:${two(minutes)}:${rest}` : `${minutes}:${rest}`;
}

/** The seconds of what `playTime` writes, and of seconds alone; undefined where it is neither. */
export function readPlayTime(text: string): number | undefined {
  if (!/^\d{1,4}(:[0-5]?\d){0,2}$/.test(text.trim())) return undefined;
  return text
    .trim()
    .split(':')
    .reduce((sum, part) => 60 * sum + Number(part), 0);
}

const units = ['B', 'KB', 'MB', 'GB', 'TB'];

/** In thousands, as disks are sold; with a digit behind the point below ten. */
export function sizeText(
  bytes: number,
  times: { count(number: number, digits?: number): string },
): string {
  let [value, unit] = [bytes, 0];
  while (value >= 1_000 && unit < units.length - 1) {
    value /= 1_000;
    unit += 1;
  }
  return `${times.count(value, unit > 0 && value < 10 ? 1 : 0)} ${units[unit]}`;
}
