// Finds the web addresses in what somebody has written, so that whoever draws it makes links of them.

export interface TextPiece {
  text: string;
  /** Where it leads; there where the piece is an address. */
  href?: string;
}

/**
 * Of a link: the other page gets no hold of ours and is not told who comes, search engines give nothing for it, and
 * whatever is written around it, its letters run from left to right.
 */
export const linkAttributes = {
  target: '_blank',
  rel: 'noopener noreferrer nofollow ugc',
  dir: 'ltr',
} as const;

/** The pieces of the text in their order; together they are the text. */
export function linkedText(text: string): TextPiece[] {
  const pieces: TextPiece[] = [];
  let done = 0;
  for (const { 0: run, index } of text.matchAll(runs)) {
    const address = withoutPunctuation(run);
    const end = index + address.length;
    const href = hrefOf(address, text.slice(end));
    if (href === undefined) continue;
    if (index > done) pieces.push({ text: text.slice(done, index) });
    pieces.push({ text: address, href });
    done = end;
  }
  if (done < text.length) pieces.push({ text: text.slice(done) });
  return pieces;
}

/** What may be an address: RFC 3986's characters alone, so no letter of it looks like another or turns its neighbours. */
const runs = /\bhttps?:\/\/[\w\-.~:/?#[\]@!$&'()*+,;=%]+/gi;

/**
 * Names with a dot, and four numbers; then a port, a path. Nobody's name stands before the host, where it could look like
 * another host.
 */
const addresses =
  /^https?:\/\/((?:[a-z\d-]+\.)+[a-z][a-z\d-]*[a-z\d]|\d+\.\d+\.\d+\.\d+)(?::\d+)?([/?#].*)?$/i;

/** A host goes on behind what we took for it. Scripts that are written without blanks begin a word of their own. */
const goesOn =
  /^(?:\.[\p{L}\p{M}\p{N}]|(?![\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}])[\p{L}\p{M}\p{N}])/u;

/** None where it would lead elsewhere than a reader takes from it. */
function hrefOf(address: string, after: string): string | undefined {
  const [, host, path] = addresses.exec(address) ?? [];
  if (host === undefined || (path === undefined && goesOn.test(after))) return undefined;
  const url = parsed(address);
  // 0177.0.0.1 is 127.0.0.1.
  return url?.hostname === host.toLowerCase() ? url.href : undefined;
}

/** Not by URL.parse, which browsers from before 2024 lack. */
function parsed(address: string): URL | undefined {
  try {
    return new URL(address);
  } catch {
    return undefined;
  }
}

/** What ends the sentence is not the address's, nor is a bracket that opened before it. */
function withoutPunctuation(run: string): string {
  const last = run.slice(-1);
  const opening = { ')': '(', ']': '[' }[last];
  const isOurs = opening !== undefined && countOf(run, last) <= countOf(run, opening);
  return isOurs || !/[.,:;!?'*)\]]/.test(last) ? run : withoutPunctuation(run.slice(0, -1));
}

function countOf(text: string, character: string): number {
  return text.split(character).length - 1;
}
