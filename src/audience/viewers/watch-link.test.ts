// Watch links: who signed names somebody, and nobody else does.
import { describe, expect, test } from 'bun:test';
import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { readWatchLink, type WatchLink, watchLinkQuery } from './watch-link.ts';

const secret = "the account's viewer secret";
const expires = 1_800_000_000;
const before = expires * 1_000 - 1;
const link: WatchLink = { channel_id: 7, uid: 'u-42', nick: '李 Wei', phone: '+86 138', expires };
const viewer = { viewer_id: 'u-42', nick: '李 Wei', phone: '+86 138' };

test('a link names its user', () => {
  expect(readWatchLink(secret, watchLinkQuery(secret, link), 7, before)).toEqual(viewer);
});

test('the recipe of docs/your-own-users.md makes the same signature', () => {
  const text = 'watch\n7\nu-42\n李 Wei\n+86 138\n1800000000';
  const sign = createHmac('sha256', secret).update(text).digest('hex');
  expect(watchLinkQuery(secret, link).get('sign')).toBe(sign);
});

test('nick and phone may be left out', () => {
  const query = watchLinkQuery(secret, { ...link, nick: '', phone: '' });
  expect([...query.keys()]).toEqual(['uid', 'expires', 'sign']);
  const named = { viewer_id: 'u-42', nick: '', phone: '' };
  expect(readWatchLink(secret, query, 7, before)).toEqual(named);
});

test('a name is what can be seen of it; one of nothing else is none', () => {
  const named = (nick: string) =>
    readWatchLink(secret, watchLinkQuery(secret, { ...link, nick }), 7, before);
  expect(named('\u202ELi\u200B Wei')).toMatchObject({ nick: 'Li Wei' });
  expect(named('\u3164')).toMatchObject({ nick: '' });
});

test('spaces may be written as plus or as %20, the signature in capitals', () => {
  const query = watchLinkQuery(secret, link);
  const text = query.toString().replaceAll('+', '%20');
  const sign = query.get('sign') ?? '';
  const other = new URLSearchParams(text.replace(sign, sign.toUpperCase()));
  expect(readWatchLink(secret, other, 7, before)).toEqual(viewer);
});

describe('a link', () => {
  test('without a signature names nobody', () => {
    expect(readWatchLink(secret, new URLSearchParams('uid=u-42'), 7, before)).toBe('none');
    expect(readWatchLink(secret, new URLSearchParams(''), 7, before)).toBe('none');
  });

  test('expires at its second', () => {
    const query = watchLinkQuery(secret, link);
    expect(readWatchLink(secret, query, 7, expires * 1_000)).toBe('expired');
  });

  test('is wrong on another channel and with another secret', () => {
    const query = watchLinkQuery(secret, link);
    expect(readWatchLink(secret, query, 8, before)).toBe('wrong');
    expect(readWatchLink('another', query, 7, before)).toBe('wrong');
  });

  test.each([
    ['another user', 'uid', 'u-43'],
    ['another nick', 'nick', 'Boss'],
    ['another phone', 'phone', ''],
    ['a later end', 'expires', String(expires + 1)],
    ['a signature that is too short', 'sign', 'ab'],
    ['a signature of other letters', 'sign', '签'.repeat(64)],
    ['an empty signature', 'sign', ''],
  ])('with %s is wrong', (_, name, value) => {
    const query = watchLinkQuery(secret, link);
    query.set(name, value);
    expect(readWatchLink(secret, query, 7, before)).toBe('wrong');
  });

  test.each([
    ['the same end with a zero before it', 'expires', `0${expires}`],
    ['an end that is no number', 'expires', 'never'],
    ['no user', 'uid', ''],
    ['a user of spaces', 'uid', '  '],
  ])('with %s cannot be read', (_, name, value) => {
    const query = watchLinkQuery(secret, link);
    query.set(name, value);
    expect(readWatchLink(secret, query, 7, before)).toBe('unreadable');
  });

  test.each(['uid', 'nick', 'expires', 'sign'])('with two of %s cannot be read', (name) => {
    const query = watchLinkQuery(secret, link);
    query.append(name, query.get(name) ?? '');
    expect(readWatchLink(secret, query, 7, before)).toBe('unreadable');
  });

  test.each([
    ['uid', 'u'.repeat(65)],
    ['nick', '名'.repeat(65)],
    ['phone', '1'.repeat(33)],
    ['nick', 'a\nb'],
    ['uid', 'a\u0000b'],
  ])('whose %s is %j cannot be read even when it is signed', (name, value) => {
    const query = watchLinkQuery(secret, { ...link, [name]: value });
    expect(readWatchLink(secret, query, 7, before)).toBe('unreadable');
  });
});

test('no two links have one signature, however alike their values are when joined', () => {
  const text = fc.string({ unit: fc.constantFrom('a', '7', ' '), maxLength: 3 });
  const links = fc.record({
    channel_id: fc.integer({ min: 1, max: 77 }),
    uid: text.map((end) => `a${end}`),
    nick: text,
    phone: text,
    expires: fc.constantFrom(expires, expires * 10 + 7),
  });
  fc.assert(
    fc.property(links, links, (one, other) => {
      const [first, second] = [one, other].map((link) => watchLinkQuery(secret, link).get('sign'));
      expect(first === second).toBe(Bun.deepEquals(one, other));
    }),
    { numRuns: 2_000 },
  );
});
