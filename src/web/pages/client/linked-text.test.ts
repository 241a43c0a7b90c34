// Which addresses in a line are links, where they end, and what is none however it is written.
import { describe, expect, test } from 'bun:test';
import { linkedText } from './linked-text.ts';

/** The links with their addresses in brackets. */
function marked(text: string): string {
  return linkedText(text)
    .map((piece) => (piece.href === undefined ? piece.text : `[${piece.text}]`))
    .join('');
}

describe('an address is a link', () => {
  test.each([
    ['https://example.com', '[https://example.com]'],
    ['see HTTP://Example.COM/A?b=c#d now', 'see [HTTP://Example.COM/A?b=c#d] now'],
    ['https://example.com:8443/a', '[https://example.com:8443/a]'],
    ['http://192.168.1.20/slides.pdf', '[http://192.168.1.20/slides.pdf]'],
    ['https://xn--pple-43d.com/', '[https://xn--pple-43d.com/]'],
    ['two: https://a.example https://b.example', 'two: [https://a.example] [https://b.example]'],
    ['see (https://example.com).', 'see ([https://example.com]).'],
    ['Really?! https://example.com/a?!', 'Really?! [https://example.com/a]?!'],
    ['https://example.com/Foo_(bar)', '[https://example.com/Foo_(bar)]'],
    ['(https://example.com/Foo_(bar)), yes', '([https://example.com/Foo_(bar)]), yes'],
    ['*https://example.com/a_*', '*[https://example.com/a_]*'],
    ['"https://example.com/"', '"[https://example.com/]"'],
    ['<https://example.com/a>b', '<[https://example.com/a]>b'],
    ['看https://example.com/a。很好', '看[https://example.com/a]。很好'],
    ['看 https://example.com很好', '看 [https://example.com]很好'],
    ['https://example.com/路', '[https://example.com/]路'],
    ['https://example.com에서', '[https://example.com]에서'],
    ['https://example.com/@name/1', '[https://example.com/@name/1]'],
    ['https://example.com/?to=https://b.example', '[https://example.com/?to=https://b.example]'],
  ])('%s', (text, wanted) => expect(marked(text)).toBe(wanted));

  test('and leads to what is written', () => {
    const hrefs = (text: string) => linkedText(text).map(({ href }) => href);
    expect(hrefs('HTTPS://Example.com')).toEqual(['https://example.com/']);
    expect(hrefs("https://example.com/'-alert(1)-'x")).toEqual([
      "https://example.com/'-alert(1)-'x",
    ]);
    expect(hrefs('https://example.com/"onclick=alert(1)')).toEqual([
      'https://example.com/',
      undefined,
    ]);
  });
});

describe('nothing else is', () => {
  test.each([
    'javascript:alert(1)',
    'javascript://example.com/%0aalert(1)',
    'data:text/html,<b>x</b>',
    'ftp://example.com',
    'www.example.com',
    '//example.com',
    'https://',
    'https://localhost/x',
    'http://nodots',
    'http://2130706433/',
    'http://0x7f.1/',
    'http://0177.0.0.1/',
    'http://1.2.3/',
    'http://999.1.1.1/',
    'http://[::1]/',
    'https://bank.example@evil.example/',
    'https://bank.example:443@evil.example/',
    'https://bank.example%2f@evil.example/',
    'https://user:password@bank.example/',
    'https://bank.example%00.evil.example/',
    'https://.example/',
    'https://bank..example/',
    'https://bank.example:99999/',
    'https://bank.example:/',
    'https://exаmple.com/',
    'https://bank.example.例子',
    'https://bank.exampleé',
    'https://аррӏе.com',
    'https://bank.example\u0338evil',
    'httpſ://bank.example',
    'xhttps://bank.example',
    'https:\\\\bank.example',
    'https:/bank.example',
    'https: //bank.example',
    '',
  ])('%s', (text) => expect(marked(text)).toBe(text));
});

test('the pieces together are the text, whatever it is', () => {
  const alphabet = [..."https://a.b()[]@:%?#!'*éж\u202e好 \\", 'https://', 'a.example', '\n'];
  let seed = 7;
  const next = () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return alphabet[seed % alphabet.length] ?? '';
  };
  for (let round = 0; round < 3_000; round++) {
    const text = Array.from({ length: 40 }, next).join('');
    const pieces = linkedText(text);
    expect(pieces.map((piece) => piece.text).join('')).toBe(text);
    for (const { text: shown, href } of pieces) {
      if (href === undefined) continue;
      const url = new URL(href);
      expect(['http:', 'https:']).toContain(url.protocol);
      expect([url.username, url.password]).toEqual(['', '']);
      expect(shown).toMatch(/^[\x21-\x7e]+$/);
      expect(shown.toLowerCase()).toContain(`//${url.hostname}`);
    }
  }
});

test.each(['https://a.b/(', 'https://a.', 'https://', '[', ')', 'a-', '1.'])(
  'a line that is full of %s is read at once',
  (part) => {
    // What reads it backwards again and again, as some expressions do, is not done before the test has to be.
    const text = `https://a.example${part.repeat(20_000)}`.slice(0, 500);
    for (let times = 0; times < 20; times++)
      expect(
        linkedText(text)
          .map((piece) => piece.text)
          .join(''),
      ).toBe(text);
  },
);
