// A small website whose users are known on the watch page: who has signed in here is led there by a signed link.
import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createClient, FootlightError, watchLink } from 'footlight-client';

const { FOOTLIGHT_URL, FOOTLIGHT_TOKEN, VIEWER_SECRET = '', PORT = '3000' } = process.env;
if (!FOOTLIGHT_URL || !FOOTLIGHT_TOKEN || !VIEWER_SECRET)
  throw new Error('set FOOTLIGHT_URL, FOOTLIGHT_TOKEN (scope channels:read) and VIEWER_SECRET');
const footlight = createClient({ baseUrl: FOOTLIGHT_URL, token: FOOTLIGHT_TOKEN });

interface User {
  uid: string;
  nick: string;
}

/** By what the browser's cookie holds. Your own site has this already; here it ends with the program. */
const sessions = new Map<string, User>();
const sessionsMax = 10_000;
const linkSeconds = 3_600;

const server = createServer((request, response) => {
  answer(request, response).catch((error: unknown) => {
    const isAbsent = error instanceof FootlightError && error.status === 404;
    if (!isAbsent) console.error(error);
    response
      .writeHead(isAbsent ? 404 : 502)
      .end(isAbsent ? 'There is no such show.\n' : 'Try again.\n');
  });
});
server.listen(Number(PORT), '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
});

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname } = new URL(request.url ?? '/', 'http://localhost');
  const user = sessions.get(sessionIn(request));
  if (request.method === 'POST' && pathname === '/sign-in') return await signIn(request, response);
  if (!user) return page(response, signInForm);
  const [, channel] = /^\/shows\/([1-9]\d{0,14})$/.exec(pathname) ?? [];
  if (channel !== undefined) return await watch(response, Number(channel), user);
  page(response, `<p>Hello ${escaped(user.nick)}.</p><ul>${await shows()}</ul>`);
}

/** The link is made when it is followed, so it need not last long. */
async function watch(response: ServerResponse, channel_id: number, user: User): Promise<void> {
  const { data } = await footlight.GET('/v1/activities/{channel_id}', {
    params: { path: { channel_id } },
  });
  const expires = Date.now() / 1_000 + linkSeconds;
  const page = data.watch_url.pc;
  const link = await watchLink({ page, secret: VIEWER_SECRET, ...user, expires });
  response.writeHead(303, { location: link, 'cache-control': 'no-store' }).end();
}

/** Those that are on air first. */
async function shows(): Promise<string> {
  const { data } = await footlight.GET('/v1/activities');
  const channels = data.activities.toSorted((one, other) => other.live_status - one.live_status);
  return channels
    .map(({ id, name, live_status }) => {
      const state = live_status === 1 ? ' (live)' : '';
      return `<li><a href="/shows/${id}">${escaped(name)}</a>${state}</li>`;
    })
    .join('');
}

const signInForm = `<form method="post" action="/sign-in">
<label>User <input name="uid" required maxlength="64"></label>
<label>Name <input name="nick" required maxlength="64"></label> <button>Sign in</button></form>`;

/** Put your own in its place: this one believes what it is told. */
async function signIn(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const form = new URLSearchParams(await textOf(request));
  const [uid, nick] = ['uid', 'nick'].map((name) => form.get(name)?.trim().slice(0, 64) ?? '');
  if (!uid || !nick || sessions.size >= sessionsMax) return page(response, signInForm);
  const session = randomBytes(16).toString('hex');
  sessions.set(session, { uid, nick });
  const cookie = `session=${session}; HttpOnly; SameSite=Lax; Path=/`;
  response.writeHead(303, { location: '/', 'set-cookie': cookie }).end();
}

function sessionIn({ headers }: IncomingMessage): string {
  return /(?:^|; )session=(\w{32})(?:;|$)/.exec(headers.cookie ?? '')?.[1] ?? '';
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const piece of request.setEncoding('utf8')) {
    text += piece;
    if (text.length > 10_000) throw new Error('the form is too long');
  }
  return text;
}

function page(response: ServerResponse, body: string): void {
  response.writeHead(200, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'none'; form-action 'self'",
  });
  response.end(`<!doctype html><meta charset="utf-8"><title>Shows</title>${body}`);
}

function escaped(text: string): string {
  const names: Record<string, string> = {
    '&': 'amp',
    '<': 'lt',
    '>': 'gt',
    '"': 'quot',
    "'": '#39',
  };
  return text.replace(/[&<>"']/g, (mark) => `&${names[mark]};`);
}
