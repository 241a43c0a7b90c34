// Pictures and the room of their account, in the whole service: counted, told, refused, given back.
import { afterAll, describe, expect, test } from 'bun:test';
import { engines } from '../../../test/support/engines.ts';
import { fileOf, jpegOf, png } from '../../../test/support/pictures.ts';
import { expectError } from '../../../test/support/scenarios.ts';
import { startTestService } from '../../../test/support/service.ts';
import { removeUnnamed } from './image-sweep.ts';

const settings = { ACCOUNT_DISK: '1000000' };
const dayMs = 86_400_000;
const bytes = jpegOf(300_000);
const noRoom = { status: 409, code: 409023 };

for (const engine of engines) {
  describe(engine.name, async () => {
    const service = await startTestService(engine, { settings });
    afterAll(() => service.stop());
    const { store, clock } = service;
    const customer = async () => {
      const account_id = await service.newAccount();
      const token = await service.newToken({ account_id, scopes: ['manage', 'channels:write'] });
      const channel = async () => {
        const made = await service.call('POST', '/v1/activities', { token, body: { name: 'a' } });
        return made.body.id as number;
      };
      const send = (to: number, body = fileOf(bytes, 'image/jpeg')) =>
        service.call('POST', `/manage/v1/channels/${to}/images`, { token, body });
      const used = async () => {
        const { body } = await service.call('GET', '/manage/v1/storage', { token });
        return { bytes: body.bytes, images_bytes: body.images_bytes };
      };
      return { channel, send, used };
    };

    test('so many fit, of one channel or another, also where they come at once', async () => {
      const { channel, send, used } = await customer();
      const [one, other] = [await channel(), await channel()];
      expect(await used()).toEqual({ bytes: 0, images_bytes: 0 });
      const replies = await Promise.all([one, one, other, other].map((to) => send(to)));
      expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 409]);
      expect(await used()).toEqual({ bytes: 900_000, images_bytes: 900_000 });
      const refused = await send(one);
      expectError(refused, noRoom);
      expect(refused.body.errors.message).toContain('pictures of the account');
      // A small one still fits, and nobody else is kept out.
      expect((await send(one, fileOf(png({ width: 2, height: 1 })))).status).toBe(200);
      const neighbour = await customer();
      expect((await neighbour.send(await neighbour.channel())).status).toBe(200);
    });

    test('one that was swept is room again, and one that was refused takes none', async () => {
      const { channel, send, used } = await customer();
      const one = await channel();
      for (let n = 0; n < 3; n += 1) expect((await send(one)).status).toBe(200);
      for (let n = 0; n < 3; n += 1) expectError(await send(one), noRoom);
      expect(await used()).toEqual({ bytes: 900_000, images_bytes: 900_000 });
      clock.now += dayMs;
      await removeUnnamed({ store, now: () => clock.now });
      expect(await used()).toEqual({ bytes: 0, images_bytes: 0 });
      expect((await send(one)).status).toBe(200);
    });
  });
}
