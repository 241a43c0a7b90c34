// Cookies and tickets: what was signed is read, and nothing else is.
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { readSignedText, signedText } from '../../base/lib/signed-text.ts';
import { readTicket, signTicket, type Ticket, ticketMaxMs } from './ticket.ts';
import { newBrowserId, readBrowserId, signBrowserId, viewerIdOf } from './viewer-cookie.ts';

const secret = 'a secret of the service';
const now = Date.UTC(2026, 4, 4, 12);
const ticket: Ticket = {
  channel_id: 7,
  viewer_id: 'v-abcdefghijklmnopqrst',
  nick: '小明',
  phone: '13800000000',
  origin: 'www.example.com',
  language: 'zh',
  issued_at: now,
  pass: '',
};

describe("a browser's number", () => {
  test('is new each time, and of one shape', () => {
    const ids = Array.from({ length: 1_000 }, newBrowserId);
    expect(new Set(ids).size).toBe(1_000);
    expect(ids.filter((id) => !/^[a-z2-7]{20}$/.test(id))).toEqual([]);
  });

  test('comes back from its cookie', () => {
    const id = newBrowserId();
    const cookie = signBrowserId(secret, id);
    expect(readBrowserId(secret, cookie)).toBe(id);
    // What a cookie's value may hold (RFC 6265 4.1.1).
    expect(cookie).toMatch(/^[\w.-]+$/);
  });

  test('comes back from a cookie of the time when it was the viewer id itself', () => {
    const cookie = 'v1.v-abcdefghijklmnopqrst.qFARfwYT0RKhj5MvFmR-Ki8owbBH-ZIijQYwRtXYgV4';
    expect(readBrowserId(secret, cookie)).toBe('v-abcdefghijklmnopqrst');
  });

  test('is not taken from a cookie that another secret has signed', () => {
    expect(readBrowserId(secret, signBrowserId('another secret', 'a'))).toBeUndefined();
  });
});

describe('a viewer id of ours', () => {
  const idOf = (account_id: number, browserId: string, key = secret) =>
    viewerIdOf(key, { account_id, browserId });

  test('is the same for a browser in an account, whenever it is made, and of one shape', () => {
    expect(idOf(7, 'abcdefghijklmnopqrst')).toBe('v-q37pnwm4e6mumfywnmtn');
    const ids = Array.from({ length: 1_000 }, (_, at) => idOf(at % 10, `browser ${at}`));
    expect(ids.filter((id) => !/^v-[a-z2-7]{20}$/.test(id))).toEqual([]);
  });

  test('is another in each account, for each browser and with each secret', () => {
    const accounts = [1, 2, 12, 112];
    const browsers = ['a', 'b', '2.a', '12.a', newBrowserId()];
    const ids = [secret, 'another'].flatMap((key) =>
      accounts.flatMap((account) => browsers.map((browser) => idOf(account, browser, key))),
    );
    expect(new Set(ids).size).toBe(2 * accounts.length * browsers.length);
  });
});

describe('a ticket', () => {
  test('comes back as it was', () => {
    expect(readTicket(secret, signTicket(secret, ticket), now)).toEqual(ticket);
  });

  test('comes back as it was, whatever its texts are', () => {
    const text = fc.string({ unit: 'binary', maxLength: 64 });
    fc.assert(
      fc.property(text, text, text, (viewer_id, nick, origin) => {
        const one = { ...ticket, viewer_id, nick, origin };
        expect(readTicket(secret, signTicket(secret, one), now)).toEqual(one);
      }),
    );
  });

  test('ends after a day', () => {
    const text = signTicket(secret, ticket);
    expect(readTicket(secret, text, now + ticketMaxMs)).toEqual(ticket);
    expect(readTicket(secret, text, now + ticketMaxMs + 1)).toBeUndefined();
  });

  test('is below 600 bytes with the longest fields that people have', () => {
    const long = {
      ...ticket,
      channel_id: 2_147_483_647,
      viewer_id: 'u'.repeat(64),
      nick: '名'.repeat(64),
      phone: '+86 138 0000 0000',
      origin: `embed:${'h'.repeat(40)}.example.com`,
    };
    expect(signTicket(secret, long).length).toBeLessThan(600);
    expect(signTicket(secret, ticket).length).toBeLessThan(200);
  });
});

test('a cookie is no ticket, and a ticket no cookie', () => {
  const payload = signTicket(secret, ticket).split('.')[1] ?? '';
  expect(readTicket(secret, signBrowserId(secret, payload), now)).toBeUndefined();
  expect(readTicket(secret, signBrowserId(secret, payload).replace('v1.', 't1.'), now)).toBe(
    undefined,
  );
  expect(readBrowserId(secret, signTicket(secret, ticket))).toBeUndefined();
});

describe('signed text', () => {
  const good = signedText(secret, 'k1', 'payload.with.points');

  test('gives its payload back', () => {
    expect(readSignedText(secret, 'k1', good)).toBe('payload.with.points');
  });

  test('is refused with any character changed, left out or added', () => {
    for (let at = 0; at < good.length; at += 1) {
      const other = good[at] === 'A' ? 'B' : 'A';
      for (const bent of [
        good.slice(0, at) + other + good.slice(at + 1),
        good.slice(0, at) + good.slice(at + 1),
        good.slice(0, at) + other + good.slice(at),
        good.slice(0, at),
      ]) {
        expect(readSignedText(secret, 'k1', bent)).toBeUndefined();
      }
    }
    expect(readSignedText(secret, 'k1', `${good}=`)).toBeUndefined();
  });

  test('is refused, never thrown at, whatever comes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(readSignedText(secret, 'k1', text)).toBeUndefined();
        expect(readTicket(secret, `t1.${text}`, now)).toBeUndefined();
      }),
    );
  });

  test('of 5,000 characters is not even hashed', () => {
    const long = signedText(secret, 'k1', 'x'.repeat(5_000));
    expect(readSignedText(secret, 'k1', long)).toBeUndefined();
  });

  test('is never made or read with an empty secret', () => {
    expect(() => signedText('', 'k1', 'x')).toThrow('empty secret');
    expect(() => readSignedText('', 'k1', 'k1.x.y')).toThrow('empty secret');
  });
});
