// How long a video is and where it stands, as players show it; the page and its script write it alike.

/** `62` is `1:02`; hours only where there are some. */
export function timeText(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const two = (count: number) => String(count).padStart(2, '0');
  const hours = Math.floor(whole / 3_600);
  const minutes = Math.floor(whole / 60) % 60;
  const end = `:${two(whole % 60)}`;
  return hours > 0 ? `${hours}:${two(minutes)}${end}` : `${minutes}${end}`;
}
