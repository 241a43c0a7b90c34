// A QR code as SVG of our own: one path, so that the page stays small and needs no style.
import { encode } from 'uqr';
import { type Html, html } from './html.ts';

/** Modules of white that a scanner needs around the code (ISO/IEC 18004). */
const quietModules = 4;

/**
 * Any of the eight masks can be read. To find the best one is nine tenths of the work, and whoever sends another
 * Host header makes us do it.
 */
const maskPattern = 0;

/** The code as a symbol that `<use href="#name">` draws, as often as the page wants it. */
export function qrSymbol(name: string, text: string): Html {
  const { data, size } = encode(text, { ecc: 'M', border: quietModules, maskPattern });
  const path = data.map((row, y) => rowPath(row, y)).join('');
  return html`<symbol id="${name}" viewBox="0 0 ${size} ${size}"><path fill="#fff" d="M0 0h${size}v${size}H0z"/><path fill="#000" d="${path}"/></symbol>`;
}

/** Neighbours in a row are one rectangle. */
function rowPath(row: readonly boolean[], y: number): string {
  let path = '';
  for (let x = 0; x < row.length; x++) {
    if (!row[x]) continue;
    const start = x;
    while (row[x + 1]) x++;
    const width = x + 1 - start;
    path += `M${start} ${y}h${width}v1h-${width}z`;
  }
  return path;
}
