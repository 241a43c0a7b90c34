// Whom a frame connects as, by what its browser has kept and what the service says to it.
import { afterAll, beforeEach, expect, test } from 'bun:test';
import { viewerTicket } from './viewer-ticket.ts';

const kept = new Map<string, string>();
Object.assign(globalThis, {
  localStorage: {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, text: string) => kept.set(name, text),
  },
});
const said = { status: 200 };
const service = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  fetch: ({ headers }) =>
    Response.json({ ticket: `of ${headers.get('x-footlight-viewer')}` }, { status: said.status }),
});
afterAll(() => service.stop(true));
beforeEach(() => kept.clear());

const page = { ticket: 'new', viewer_token: 'nobody', ticket_url: `${service.url}ticket` };
const keptViewer = () => kept.get('footlight_viewer');

test('who was never here is who the page says, and stays it', async () => {
  expect(await viewerTicket(page)).toBe('new');
  expect(keptViewer()).toBe('nobody');
});

test.each([
  [200, 'of ann', 'ann'],
  [403, 'new', 'nobody'],
  // A service that restarts must not make a stranger of everybody.
  [503, 'new', 'ann'],
])('who was here before and is answered %d', async (status, ticket, viewer) => {
  kept.set('footlight_viewer', 'ann');
  said.status = status;
  expect(await viewerTicket(page)).toBe(ticket);
  expect(keptViewer()).toBe(viewer);
});

test('where a cookie or a link is enough, nothing is kept', async () => {
  expect(await viewerTicket({ ticket: 'linked', viewer_token: '', ticket_url: '' })).toBe('linked');
  expect(keptViewer()).toBeUndefined();
});
