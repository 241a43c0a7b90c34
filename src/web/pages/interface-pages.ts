// The description of the interface for programs and for people, made once from the route table.
import { openApi } from '../../base/api/openapi.ts';
import type { AnyRoute } from '../../base/api/route.ts';
import { remembered } from '../../base/lib/remembered.ts';
import { describedEvents } from '../../library/events/event.ts';
import { docsPage, docsPolicy } from './docs-page.ts';

/** Stands for the service's address until a request says which one it used. */
const anyUrl = 'https://address.invalid';

/** A service has one address or two; a stranger may make up as many as it likes. */
const addressesMax = 4;

export function interfacePages(routes: readonly AnyRoute[], version: string) {
  const made = once(() => {
    const document = openApi(routes, { version, url: anyUrl, events: describedEvents() });
    return {
      document: forAddresses(JSON.stringify(document)),
      docs: forAddresses(docsPage(document)),
    };
  });
  const shown = (body: string, type: string) => ({
    headers: {
      'content-type': `${type}; charset=utf-8`,
      'cache-control': 'public, max-age=300',
      vary: 'Host',
      'content-security-policy': docsPolicy,
      'x-content-type-options': 'nosniff',
    },
    body,
  });
  return {
    document: ({ baseUrl }: { baseUrl: string }) =>
      shown(made().document(baseUrl), 'application/json'),
    docs: ({ baseUrl }: { baseUrl: string }) => shown(made().docs(baseUrl), 'text/html'),
  };
}

/** The text with the address that was asked. To put it in takes longer than all else that an answer does. */
function forAddresses(text: string): (baseUrl: string) => string {
  return remembered(addressesMax, (baseUrl) => text.replaceAll(anyUrl, baseUrl));
}

/** Not at the start, which it would slow down, but with the first request. */
function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
