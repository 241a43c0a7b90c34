// The description of the interface for programs and for people, made once from the route table.
import { openApi } from '../lib/openapi.ts';
import type { AnyRoute } from '../lib/route.ts';
import { docsPage, docsPolicy } from './docs-page.ts';

/** Stands for the service's address until a request says which one it used. */
const anyUrl = 'https://address.invalid';

export function interfacePages(routes: readonly AnyRoute[], version: string) {
  const made = once(() => {
    const document = openApi(routes, { version, url: anyUrl });
    return { document: JSON.stringify(document), docs: docsPage(document) };
  });
  const shown =
    (text: string, type: string) =>
    ({ baseUrl }: { baseUrl: string }) => ({
      headers: {
        'content-type': `${type}; charset=utf-8`,
        'cache-control': 'public, max-age=300',
        vary: 'Host',
        'content-security-policy': docsPolicy,
        'x-content-type-options': 'nosniff',
      },
      body: text.replaceAll(anyUrl, baseUrl),
    });
  return {
    document: (call: { baseUrl: string }) => shown(made().document, 'application/json')(call),
    docs: (call: { baseUrl: string }) => shown(made().docs, 'text/html')(call),
  };
}

/** Not at the start, which it would slow down, but with the first request. */
function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
