// CSV as RFC 4180 has it, and harmless when a spreadsheet opens it.

/**
 * Opens a file. Excel takes a file without it for the machine's own encoding, and Chinese becomes noise;
 * programs read it with `utf-8-sig` or its like.
 */
export const csvMark = '\uFEFF';

/** One line of a file, with its end. */
export function csvLine(cells: readonly (string | number)[]): string {
  return `${cells.map(cellOf).join(',')}\r\n`;
}

/** What a spreadsheet would run: also behind spaces, and in the wide forms of Chinese and Japanese keyboards. */
const formulaStart = /^(?=\s*[=+\-@＝＋－＠])/;
/** Where a comma is the decimal point, lines are split at semicolons, and a quote in the middle of a piece quotes nothing. */
const formulaWithin = /[;\t\r\n](?=[^\S\t\r\n]*[=+\-@＝＋－＠])/g;
const needsQuotes = /[",\r\n]/;

/** A text that looks like a formula gets an apostrophe in front: viewers choose their names, operators open the file. */
function cellOf(value: string | number): string {
  if (typeof value === 'number') return String(value);
  const text = value.replace(formulaWithin, "$&'").replace(formulaStart, "'");
  return needsQuotes.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
