// Texts with an address put in: the same as if they had been made with it, compressed or not.
import { expect, test } from 'bun:test';
import { gunzipSync } from 'node:zlib';
import { AddressedText } from './addressed-text.ts';

const mark = 'https://address.invalid';
const long = Array.from({ length: 5_000 }, (_, n) => `"line ${n}: über 视频"`).join(',\n');
const texts = {
  none: long,
  one: `${long}${mark}/v1${long}`,
  many: Array.from({ length: 200 }, (_, n) => `curl ${mark}/v1/${n}`).join('\n'),
  'at both ends, and twice at once': `${mark}x${mark}${mark}`,
  'nothing else': mark,
  'nothing at all': '',
};

test.each(Object.entries(texts))('%s', async (_, text) => {
  const made = new AddressedText(text, mark);
  for (const address of [
    'http://h',
    'https://live.example.com:8443',
    `http://${'x'.repeat(255)}`,
  ]) {
    const wanted = text.replaceAll(mark, address);
    expect(made.text(address)).toBe(wanted);
    const gzip = made.gzip(address);
    expect(gunzipSync(gzip).toString()).toBe(wanted);
    expect(Buffer.from(Bun.gunzipSync(gzip)).toString()).toBe(wanted);
    const stream = new Blob([gzip]).stream().pipeThrough(new DecompressionStream('gzip'));
    expect(await new Response(stream).text()).toBe(wanted);
  }
});

test('the tag is of the text and of the address, where it names one', () => {
  const made = new AddressedText(texts.one, mark);
  expect(made.tag('http://a')).toBe(new AddressedText(texts.one, mark).tag('http://a'));
  expect(made.tag('http://a')).not.toBe(made.tag('http://b'));
  expect(made.tag('http://a')).not.toBe(new AddressedText(texts.many, mark).tag('http://a'));
  const without = new AddressedText(texts.none, mark);
  expect(without.tag('http://a')).toBe(without.tag('http://b'));
});

test('one place costs next to nothing', () => {
  const made = new AddressedText(texts.one, mark);
  const best = Bun.gzipSync(made.text('http://h')).length;
  expect(made.gzip('http://h').length).toBeLessThan(best * 1.1);
});
