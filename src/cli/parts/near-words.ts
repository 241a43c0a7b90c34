// "Did you mean": the one known word that is nearest to what was typed.

/** The one that is near enough; undefined where none is, or several are as near. */
export function nearWord(
  typed: string,
  known: Iterable<string>,
  bound = typed.length <= 3 ? 1 : typed.length <= 7 ? 2 : 3,
): string | undefined {
  let nearest: string[] = [];
  let least = bound + 1;
  for (const word of known) {
    const distance = editDistance(typed, word);
    if (distance > bound) continue;
    if (distance < least) {
      least = distance;
      nearest = [word];
    } else if (distance === least && !nearest.includes(word)) nearest.push(word);
  }
  // A word that shares nothing with it is not near, however short both are.
  const [only] = nearest;
  return nearest.length === 1 && only && least < Math.max(typed.length, only.length)
    ? only
    : undefined;
}

/** With the sentence around it; empty where there is none. */
export function didYouMean(typed: string, known: Iterable<string>): string {
  const near = nearWord(typed, known);
  return near === undefined ? '' : `; did you mean ${near}?`;
}

/** Letters put in, left out, changed, or two neighbours changed over. */
export function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const isSame = a[i - 1] === b[j - 1];
      let least = Math.min(
        (last[j] ?? 0) + 1,
        (row[j - 1] ?? 0) + 1,
        (last[j - 1] ?? 0) + (isSame ? 0 : 1),
      );
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        least = Math.min(least, (before[j - 2] ?? 0) + 1);
      row.push(least);
    }
    before = last;
    last = row;
  }
  return last[b.length] ?? 0;
}
