// Page numbers and the links of a list.
import * as z from 'zod';
import { alsoAs, integer } from './fields.ts';

/** Page numbers are bounded so that a page times its size stays a safe integer. */
const pageMax = 2 ** 31 - 1;

export const pageNumber = alsoAs(
  integer('page number', { min: 1, max: pageMax, cleared: 1, default: 1 }),
  'page',
);

export function pageSize(options: { default: number; max: number }) {
  return integer('results per page', {
    min: 1,
    max: options.max,
    cleared: options.default,
    default: options.default,
  });
}

/** Which rows of an ordered set a page holds. */
export interface Page {
  p: number;
  perPage: number;
}

export const metaFields = {
  total: z.int().meta({ description: 'total number of rows' }),
  page: z.int().min(1).meta({ description: 'total number of pages' }),
  current: z.int().min(1).meta({ description: 'current page number' }),
};

export const linksAnswer = z.object({
  next_url: z
    .string()
    .nullable()
    .meta({ description: 'address of the next page; null when there is none' }),
  end_url: z.string().meta({ description: 'address of the last page' }),
});

/** `meta` and `links` of a list envelope (interface 2.6); links keep the other parameters. */
export function envelope(
  total: number,
  { p, perPage }: Page,
  target: { baseUrl: string; target: string },
) {
  const { pages, next, last } = linksOf(total, { p, perPage }, target, {});
  return {
    meta: { total, page: pages, current: p },
    links: { next_url: next, end_url: last },
  };
}

/** `Link` (RFC 8288) and `X-Total-Count` for the bare arrays; the given fields travel in the link's query. */
export function pageHeaders(
  total: number,
  page: Page,
  target: { baseUrl: string; target: string },
  fields: Record<string, string | number>,
): Record<string, string> {
  const { next, last } = linksOf(total, page, target, fields);
  const links = [...(next ? [`<${next}>; rel="next"`] : []), `<${last}>; rel="last"`];
  return { Link: links.join(', '), 'X-Total-Count': String(total) };
}

function linksOf(
  total: number,
  { p, perPage }: Page,
  { baseUrl, target }: { baseUrl: string; target: string },
  fields: Record<string, string | number>,
) {
  const pages = Math.max(1, Math.ceil(total / perPage));
  const at = target.indexOf('?');
  const path = at < 0 ? target : target.slice(0, at);
  const query = at < 0 ? '' : target.slice(at + 1);
  const pageUrl = (n: number) => {
    const params = new URLSearchParams(query);
    for (const [name, value] of Object.entries(fields)) params.set(name, String(value));
    params.set('p', String(n));
    return `${baseUrl}${path}?${params}`;
  };
  return { pages, next: p < pages ? pageUrl(p + 1) : null, last: pageUrl(pages) };
}
