// People who sign in, for tests: made by an invitation, known by their cookies.
import { expect } from 'bun:test';
import { invitePerson } from '../../src/library/people/console-link-store.ts';
import type { CallOptions, Reply, TestService } from './service.ts';

export interface TestPerson {
  id: number;
  user_name: string;
  /** The `Cookie` header of their browser. */
  cookie: string;
}

export const goodPassword = 'three green lamps';

/** A person of an account's own side, or of a manager, who has signed in. */
export async function signUp(
  service: TestService,
  order: { user_name: string; account_id?: number; manager_id?: number },
): Promise<TestPerson> {
  const { user_name, account_id = 1, manager_id = 0 } = order;
  const { secret } = await service.store.perform(invitePerson, {
    account_id,
    manager_id,
    name: '',
    now: service.clock.now,
  });
  const body = { link: secret, user_name, password: goodPassword };
  const reply = await service.call('POST', '/manage/v1/links/use', { token: null, body });
  expect({ status: reply.status, body: reply.body }).toMatchObject({ status: 200 });
  return { id: reply.body.person.id, user_name, cookie: cookieOf(reply) };
}

/** Another browser of theirs: its cookies. */
export async function signIn(
  service: TestService,
  user_name: string,
  options: { password?: string; headers?: Record<string, string> } = {},
): Promise<Reply> {
  const { password = goodPassword, headers = {} } = options;
  const body = { user_name, password };
  return await service.call('POST', '/manage/v1/sign-in', { token: null, body, headers });
}

/** What a browser sends back of an answer's cookies. */
export function cookieOf(reply: Pick<Reply, 'headers'>): string {
  return reply.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';', 1)[0])
    .join('; ');
}

/** The same for a browser. */
export function browserCookies(cookie: string, { url }: TestService) {
  return cookie.split('; ').map((one) => {
    const at = one.indexOf('=');
    const [name, value] = [one.slice(0, at), one.slice(at + 1)];
    return { name, value, url, httpOnly: true, sameSite: 'Strict' as const };
  });
}

/** A call as a page of ours makes it. */
export function callByCookie(
  service: TestService,
  method: string,
  path: string,
  { cookie, body, headers }: { cookie: string } & Pick<CallOptions, 'body' | 'headers'>,
): Promise<Reply> {
  return service.call(method, path, {
    token: null,
    ...(body !== undefined && { body }),
    headers: {
      cookie,
      ...(method !== 'GET' && { origin: service.url }),
      ...(method !== 'GET' && !(body instanceof Blob) && { 'content-type': 'application/json' }),
      ...headers,
    },
  });
}
