import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { readWatchLink, watchLinkQuery } from '../../src/audience/viewers/watch-link.ts';
import { watchLink } from './watch-link.ts';

const secret = "the account's viewer secret";
const page = 'https://live.example.com/watch/7';
const expires = 1_800_000_000;
const before = expires * 1_000 - 1;

test('a link is the one that the service signs', async () => {
  const letters = fc.string({
    unit: fc.constantFrom('a', ' ', '+', '&', '=', '李', '𝒏', '%'),
    maxLength: 32,
  });
  await fc.assert(
    fc.asyncProperty(letters, letters, letters, async (end, nick, phone) => {
      const uid = `u${end}`;
      const link = new URL(await watchLink({ page, secret, uid, nick, phone, expires }));
      const own = watchLinkQuery(secret, { channel_id: 7, uid, nick, phone, expires });
      expect(link.searchParams.toString()).toBe(own.toString());
      const read = readWatchLink(secret, link.searchParams, 7, before);
      expect(read).toMatchObject({ viewer_id: uid, phone });
    }),
  );
});

test.each([
  'https://live.example.com/shows/watch/7',
  'http://h:8080/m/7?lang=zh',
  'http://h/embed/7/',
])('the page %s keeps its address', async (address) => {
  const link = new URL(await watchLink({ page: address, secret, uid: 'u', expires }));
  const given = new URL(address);
  expect(link.origin + link.pathname).toBe(given.origin + given.pathname);
  expect(link.searchParams.get('lang')).toBe(given.searchParams.get('lang'));
  expect(readWatchLink(secret, link.searchParams, 7, before)).toMatchObject({ viewer_id: 'u' });
});

test('a link of a link names the later user', async () => {
  const first = await watchLink({ page, secret, uid: 'u', nick: 'Li', phone: '1', expires });
  const second = new URL(await watchLink({ page: first, secret, uid: 'v', expires }));
  expect(readWatchLink(secret, second.searchParams, 7, before)).toEqual({
    viewer_id: 'v',
    nick: '',
    phone: '',
  });
});

test('it lasts for a day, or until a date', async () => {
  const expiresOf = async (given?: Date) =>
    Number(
      new URL(
        await watchLink({ page, secret, uid: 'u', ...(given && { expires: given }) }),
      ).searchParams.get('expires'),
    );
  const seconds = Math.floor(Date.now() / 1_000);
  expect((await expiresOf()) - seconds).toBeWithin(86_399, 86_500);
  expect(await expiresOf(new Date(before))).toBe(expires - 1);
});

test.each([
  ['uid', { uid: ' ' }],
  ['uid', { uid: 'u'.repeat(65) }],
  ['nick', { nick: 'a\nb' }],
  ['nick', { nick: '名'.repeat(65) }],
  ['nick', { nick: '\ud800' }],
  ['phone', { phone: '1'.repeat(33) }],
  ['secret', { secret: '' }],
  ['page', { page: 'https://live.example.com/videos/7' }],
  ['page', { page: 'https://live.example.com/watch/07' }],
  ['expires', { expires: new Date(Number.NaN) }],
  ['expires', { expires: Date.now() * 1_000 }],
])('what would name nobody is refused: %s of %j', async (name, wrong) => {
  const made = watchLink({ page, secret, uid: 'u', expires, ...wrong });
  await expect(made).rejects.toThrow(RangeError);
  await expect(made).rejects.toThrow(name);
});
