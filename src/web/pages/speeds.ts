// How fast a recording may be played, on its page and in its script alike.
export const speeds = [0.5, 0.75, 1, 1.25, 1.5, 1.75, 2] as const;

/** `1.5×`; as it is said in every language. */
export function speedName(speed: number): string {
  return `${speed}×`;
}
