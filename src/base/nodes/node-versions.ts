// Which versions run side by side: those of one minor step, for as long as an update takes.

/** What is next to each other knows the other's tables, links and pages. What is no version of ours is next to nothing. */
export function runSideBySide(own: string, other: string): boolean {
  if (own === other) return true;
  const [a, b] = [stepOf(own), stepOf(other)];
  return !!a && !!b && a.major === b.major && Math.abs(a.minor - b.minor) <= 1;
}

function stepOf(version: string): { major: number; minor: number } | undefined {
  const [, major, minor] = /^(\d{1,6})\.(\d{1,6})\.\d/.exec(version) ?? [];
  return major === undefined ? undefined : { major: Number(major), minor: Number(minor) };
}
