// The bundle as pages and browsers get it: small, kept for ever, and no reason to be without a page.
import { describe, expect, test } from 'bun:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { startLog } from '../../base/lib/log.ts';
import { startAssets } from './assets.ts';

const log = startLog('silent');
const asks =
  (coding: string) =>
  (name: string): string | null =>
    name === 'accept-encoding' ? coding : null;

describe('the bundle', async () => {
  const assets = startAssets({ log });
  const { style, scripts } = await assets.ofPages();
  const fileOf = (address: string) => address.replace('/assets/', '');
  const bytesOf = async (address: string, coding: string) => {
    const { body } = await assets.answer(fileOf(address), asks(coding));
    return await (body as Blob).bytes();
  };

  test.each([
    ['watch', scripts.watch, /^\/assets\/watch-[0-9a-z]+\.js$/, 'text/javascript; charset=utf-8'],
    ['video', scripts.video, /^\/assets\/video-[0-9a-z]+\.js$/, 'text/javascript; charset=utf-8'],
    ['door', scripts.door, /^\/assets\/door-[0-9a-z]+\.js$/, 'text/javascript; charset=utf-8'],
    ['style', style, /^\/assets\/style-[0-9a-z]+\.css$/, 'text/css; charset=utf-8'],
  ])('%s is named by its content and kept for ever', async (_, address, name, type) => {
    expect(address).toMatch(name);
    const { status = 200, headers } = await assets.answer(fileOf(address), asks('gzip, br'));
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': type,
      'cache-control': 'public, max-age=31536000, immutable',
      'content-encoding': 'br',
      vary: 'accept-encoding',
    });
  });

  test('every coding holds the same', async () => {
    const plain = Buffer.from(await bytesOf(scripts.watch, ''));
    expect(plain.includes('audience')).toBeTrue();
    expect(gunzipSync(await bytesOf(scripts.watch, 'gzip')).equals(plain)).toBeTrue();
    expect(brotliDecompressSync(await bytesOf(scripts.watch, 'br')).equals(plain)).toBeTrue();
  });

  test.each([
    ['gzip;q=0, br;q=0', undefined],
    ['identity', undefined],
    ['gzip', 'gzip'],
    ['br;q=0.5, gzip', 'br'],
    ['deflate, gzip;q=0.000, br', 'br'],
  ])('Accept-Encoding "%s" is answered by %s', async (coding, answered) => {
    const { headers } = await assets.answer(fileOf(style), asks(coding));
    expect(headers['content-encoding']).toBe(answered as string);
  });

  test('a watch page weighs at most 200 KB before the first segment, also over plain HTTP', async () => {
    const files = await Promise.all([scripts.watch, style].map((one) => bytesOf(one, 'gzip')));
    // The page itself is compressed too; 20 KB is more than any of ours has plain.
    const bytes = files.reduce((sum, { byteLength }) => sum + byteLength, 20_000);
    expect(bytes).toBeLessThan(200_000);
  });

  test.each(['watch.js', '..%2fpackage.json', '', 'watch-0.js'])('there is no %p', async (file) => {
    expect((await assets.answer(file, asks('br'))).status).toBe(404);
  });
});

describe('a bundle that fails', () => {
  test('is told in the log once, and pages go without', async () => {
    const lines: string[] = [];
    const telling = startLog('error', { write: (text) => lines.push(text) && text.length });
    const made: number[] = [];
    const make = async () => {
      made.push(1);
      throw new Error('no bundler here');
    };
    const assets = startAssets({ log: telling, make });
    const empty = { style: '', scripts: { watch: '', video: '', door: '' } };
    expect(await assets.ofPages()).toEqual(empty);
    expect(await assets.ofPages()).toEqual(empty);
    expect((await assets.answer('watch-1.js', asks('br'))).status).toBe(404);
    expect(made).toHaveLength(1);
    expect(lines.join('')).toContain('no bundler here');
  });
});
