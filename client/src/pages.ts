// From one page of a list to the next, whichever way the list tells of it.

/** What the next page is asked for with; undefined where this was the last. */
export function nextPage(page: unknown, response: Response): NextPage | undefined {
  if (Array.isArray(page)) return byNumber(linkTo('next', response.headers.get('link')));
  const { links, next_before } = page as Partial<ListAnswer>;
  if (links) return byNumber(links.next_url);
  return next_before === undefined || next_before === null ? undefined : { before: next_before };
}

/** Lists have page numbers, or go back in time from a place that the last page names. */
export type NextPage = { p: number } | { before: string | number };

interface ListAnswer {
  links: { next_url: string | null };
  next_before: string | number | null;
}

/** Of an address only the number is taken: it may name a host that is not to see the token. */
function byNumber(address: string | null | undefined): NextPage | undefined {
  if (!address) return undefined;
  const p = Number(new URL(address, 'http://localhost').searchParams.get('p'));
  if (!Number.isSafeInteger(p) || p < 1) throw new Error(`The next page has no number: ${address}`);
  return { p };
}

/** By a `Link` header (RFC 8288), as the service writes it. */
function linkTo(relation: string, header: string | null): string | undefined {
  for (const [, address, rel] of (header ?? '').matchAll(/<([^>]*)>\s*;\s*rel="([^"]*)"/g))
    if (rel === relation) return address;
  return undefined;
}

/** The rows of a page: it is a list itself, or has one. */
export function rowsOf(page: unknown): readonly unknown[] {
  if (Array.isArray(page)) return page;
  const [rows, ...others] = Object.values(page as object).filter(Array.isArray);
  if (!rows || others.length > 0) throw new Error('A page has one list of rows');
  return rows;
}
