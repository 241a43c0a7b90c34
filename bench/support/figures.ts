// Medians, spreads and ratios of repeated samples, and the tables that show them.

export interface Figure {
  median: number;
  min: number;
  max: number;
}

export function figure(samples: readonly number[]): Figure {
  const sorted = samples.toSorted((a, b) => a - b);
  const at = (index: number) => sorted[index] ?? Number.NaN;
  const middle = (sorted.length - 1) / 2;
  return {
    median: (at(Math.floor(middle)) + at(Math.ceil(middle))) / 2,
    min: at(0),
    max: at(sorted.length - 1),
  };
}

/** Each round's own ratio: what slows the whole machine for a while slows both of its sides. */
export function ratio(ours: readonly number[], theirs: readonly number[]): Figure {
  return figure(ours.map((value, round) => value / (theirs[round] ?? Number.NaN)));
}

/** `1,234 (1,200 to 1,300)` */
export function shown({ median, min, max }: Figure, digits = 0): string {
  const text = (value: number) =>
    value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return `${text(median)} (${text(min)} to ${text(max)})`;
}

/** Prints rows under their headings: the first column to the left, figures to the right. */
export function printTable(headings: readonly string[], rows: readonly (readonly string[])[]) {
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd();
  console.log(line(headings));
  console.log(line(widths.map((width) => '-'.repeat(width))));
  for (const row of rows) console.log(line(row));
  console.log('');
}

/** The figures that one JSON line carries, without digits that mean nothing. */
export function rounded(value: object): object {
  return JSON.parse(
    JSON.stringify(value, (_, one) =>
      typeof one === 'number' && !Number.isInteger(one) ? Number(one.toPrecision(4)) : one,
    ),
  );
}
