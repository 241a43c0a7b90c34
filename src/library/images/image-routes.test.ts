// Pictures by upload, in the whole service: what is shown of them, who may, hostile files, how many and how long they are kept.
import { afterAll, describe, expect, test } from 'bun:test';
import { engines } from '../../../test/support/engines.ts';
import { callByCookie, signUp } from '../../../test/support/people.ts';
import { encoded, fileOf, jpegOf, plainJpeg, png } from '../../../test/support/pictures.ts';
import { expectError } from '../../../test/support/scenarios.ts';
import { startTestService } from '../../../test/support/service.ts';
import { imageLimits } from './image-limits.ts';
import { removeUnnamed } from './image-sweep.ts';

const small = png({ width: 2, height: 1 });
const invalid = { status: 400, code: 400001 };
const notImage = { status: 415, code: 415002 };
const hourMs = 3_600_000;

for (const engine of engines) {
  describe(engine.name, async () => {
    const service = await startTestService(engine);
    afterAll(() => service.stop());
    const { store, clock, url } = service;
    const newChannel = async () =>
      (await service.call('POST', '/v1/activities', { body: { name: 'a' } })).body.id as number;
    const path = (channel: number) => `/manage/v1/channels/${channel}/images`;
    const send = (channel: number, body: Blob) => service.call('POST', path(channel), { body });
    const addressOf = async (channel: number, bytes = small, type = 'image/png') => {
      const reply = await send(channel, fileOf(bytes, type));
      expect(reply.status).toBe(200);
      return reply.body.address as string;
    };
    const statusOf = async (address: string) => (await fetch(url + address)).status;
    const save = (channel: number, page: object) =>
      service.call('PUT', `/v1/activities/${channel}/page`, { body: page });
    const sweep = () => removeUnnamed({ store, now: () => clock.now });
    const channel = await newChannel();

    test.each([
      ['image/png', png({ width: 20, height: 12 }), 'png'],
      ['image/jpeg', plainJpeg, 'jpg'],
      ['image/webp', encoded.movingWebp, 'webp'],
      ['image/gif', encoded.gif, 'gif'],
    ])('%s is answered by its address at once, byte by byte', async (type, bytes, ending) => {
      const { body } = await send(channel, fileOf(bytes, type));
      expect(body).toMatchObject({ width: 20, height: 12 });
      expect(body.address).toMatch(new RegExp(`^/images/[0-9A-Za-z]{22}\\.${ending}$`));
      // The second one is from memory.
      for (let n = 0; n < 2; n += 1) {
        const response = await fetch(url + body.address);
        expect(Object.fromEntries(response.headers)).toMatchObject({
          'content-type': type,
          'x-content-type-options': 'nosniff',
          'content-security-policy': "default-src 'none'; sandbox",
          'content-disposition': 'inline',
          'cache-control': 'public, max-age=31536000, immutable',
        });
        expect(Buffer.from(await response.bytes()).equals(bytes)).toBeTrue();
      }
    });

    test('what a picture tells besides is not kept', async () => {
      // The encoder has written its name into it.
      expect(Buffer.from(encoded.jpeg).includes('Lavc')).toBeTrue();
      const address = await addressOf(channel, encoded.jpeg, 'image/jpeg');
      const shown = await (await fetch(url + address)).bytes();
      expect(Buffer.from(shown).equals(plainJpeg)).toBeTrue();
      expect(Buffer.from(shown).includes('Lavc')).toBeFalse();
    });

    test('what it is is found by its bytes, not by what it is called', async () => {
      expect(await addressOf(channel, encoded.jpeg, 'image/png')).toEndWith('.jpg');
    });

    test('no other address shows it', async () => {
      const address = await addressOf(channel);
      for (const other of [
        address.replace('.png', '.gif'),
        address.replace('.png', ''),
        `${address}x`,
        '/images/0000000000000000000000.png',
        '/images/..%2f..%2fetc%2fpasswd.png',
      ])
        expect(await statusOf(other)).toBe(404);
    });

    test('the largest that may be comes and goes whole, one after the other', async () => {
      const bytes = jpegOf(imageLimits.bytesMax);
      for (let n = 0; n < 8; n += 1) {
        const address = await addressOf(channel, bytes, 'image/jpeg');
        const shown = await (await fetch(url + address)).bytes();
        expect(Bun.hash(shown)).toBe(Bun.hash(bytes));
      }
    });

    test.each<[string, Blob, { status: number; code: number }, RegExp]>([
      ['nothing', fileOf(new Uint8Array()), invalid, /is empty/],
      ['an SVG with a script', fileOf(svg(), 'image/svg+xml'), notImage, /must be image\/png or/],
      ['an SVG that says it is a PNG', fileOf(svg()), invalid, /SVG can carry scripts/],
      ['an archive', fileOf(Buffer.from('PK\x03\x04...')), invalid, /an archive/],
      [
        'a picture of 65,535 × 65,535',
        fileOf(png({ width: 65_535, height: 65_535, pixelBytes: 1 })),
        invalid,
        /65,535 × 65,535/,
      ],
      [
        'a picture that unpacks to 200 MB',
        fileOf(png({ width: 2, height: 1, pixelBytes: 200_000_000 })),
        invalid,
        /more than its pixels/,
      ],
      ['a cut picture', fileOf(small.subarray(0, -5)), invalid, /breaks off/],
      [
        'a picture that is a page, too',
        fileOf(Buffer.concat([small, Buffer.from('<script>')])),
        invalid,
        /8 bytes follow/,
      ],
      ['a form', fileOf(small, 'multipart/form-data'), notImage, /must be image\/png or/],
      [
        'one byte too many',
        fileOf(jpegOf(imageLimits.bytesMax + 1), 'image/jpeg'),
        { status: 413, code: 413001 },
        /at most 4194304 bytes/,
      ],
    ])('%s is refused with a sentence, and nothing is kept', async (_, body, code, why) => {
      const before = await countOf();
      const reply = await send(channel, body);
      expectError(reply, code);
      expect(reply.body.errors.message).toMatch(why);
      expect(await countOf()).toBe(before);
    });

    test('a file that does not say how long it is is refused before it is read', async () => {
      const pieces = (async function* () {
        yield small;
      })();
      const response = await fetch(url + path(channel), {
        method: 'POST',
        headers: { authorization: `Bearer ${service.token}`, 'content-type': 'image/png' },
        body: pieces,
      });
      expect(response.status).toBe(400);
      expect(await response.text()).toContain('Content-Length');
    });

    test('by the cookie a picture comes from a page of ours alone, and never as what a form sends', async () => {
      const { cookie } = await signUp(service, { user_name: 'ada' });
      const by = (body: Blob, headers: Record<string, string> = {}) =>
        callByCookie(service, 'POST', path(channel), { cookie, body, headers });
      expect((await by(fileOf(small))).status).toBe(200);
      const foreign = { status: 403, code: 403010 };
      expectError(await by(fileOf(small), { origin: `${url}1` }), foreign);
      for (const type of ['text/plain', 'multipart/form-data', 'application/x-www-form-urlencoded'])
        expectError(await by(fileOf(small, type)), foreign);
      const json = await callByCookie(service, 'POST', path(channel), { cookie, body: {} });
      expectError(json, foreign);
    });

    test('one that no saved page names goes after a day; one that a page names stays', async () => {
      const [own, other] = [await newChannel(), await newChannel()];
      const named = await addressOf(own);
      const namedElsewhere = await addressOf(own);
      const forgotten = await addressOf(own);
      await save(own, { banner: url + named });
      await save(other, { live_img: namedElsewhere });
      clock.now += 24 * hourMs - 1;
      await sweep();
      expect(await statusOf(forgotten)).toBe(200);
      clock.now += 1;
      await sweep();
      expect(await statusOf(forgotten)).toBe(404);
      expect([await statusOf(named), await statusOf(namedElsewhere)]).toEqual([200, 200]);
      // Replaced, it has another day: what was saved can be undone.
      await save(own, { banner: '' });
      await sweep();
      clock.now += 23 * hourMs;
      await sweep();
      expect(await statusOf(named)).toBe(200);
      clock.now += hourMs;
      await sweep();
      expect(await statusOf(named)).toBe(404);
    });

    test('pages are searched beside the writer, which is asked for what changes alone', async () => {
      const own = await newChannel();
      const named = await addressOf(own);
      const forgotten = await addressOf(own);
      await save(own, { banner: url + named });
      await sweep();
      const written: object[] = [];
      const watched: typeof store = Object.create(store, {
        perform: {
          value: async (operation: { kind: string }, input: { id: string }) => {
            if (operation.kind !== 'read') written.push(input);
            return await store.perform(operation as never, input as never);
          },
        },
      });
      const sweepWatched = () => removeUnnamed({ store: watched, now: () => clock.now });
      await sweepWatched();
      expect(written).toEqual([]);
      clock.now += 24 * hourMs;
      await save(own, { banner: url + forgotten });
      await sweepWatched();
      const ids = [named, forgotten].map((address) => /images\/(\w+)/.exec(address)?.[1] ?? '');
      const ofThese = written.filter((input) => ids.includes((input as { id: string }).id));
      expect(ofThese).toHaveLength(2);
      expect([await statusOf(named), await statusOf(forgotten)]).toEqual([200, 200]);
    });

    test('a channel has so many; the oldest that no saved page names makes room', async () => {
      const own = await newChannel();
      const addresses: string[] = [];
      for (let n = 0; n < imageLimits.ofChannelMax; n += 1) {
        addresses.push(await addressOf(own));
        clock.now += 1;
      }
      const [first = '', second = '', third = ''] = addresses;
      await save(own, { banner: first });
      await addressOf(own);
      expect(await Promise.all([first, second, third].map(statusOf))).toEqual([200, 404, 200]);
    });

    test('where saved pages show all of them there is no room', async () => {
      const own = await newChannel();
      const addresses: string[] = [];
      for (let n = 0; n < imageLimits.ofChannelMax; n += 1) addresses.push(await addressOf(own));
      await save(own, { footer: addresses.slice(0, 30).join(' ') });
      await save(await newChannel(), { footer: addresses.slice(30).join(' ') });
      expectError(await send(own, fileOf(small)), { status: 403, code: 403002 });
    });

    test('of a deleted channel none is shown until it is brought back', async () => {
      const own = await newChannel();
      const address = await addressOf(own);
      expect(await statusOf(address)).toBe(200);
      await service.call('DELETE', `/v1/activities/${own}`);
      expect(await statusOf(address)).toBe(404);
      await service.call('POST', `/manage/v1/channels/${own}/restore`);
      expect(await statusOf(address)).toBe(200);
    });

    async function countOf(): Promise<number> {
      const row = await store.one<{ n: number }>('SELECT COUNT(*) AS n FROM images');
      return row?.n ?? 0;
    }
  });
}

function svg(): Uint8Array {
  return Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>');
}
