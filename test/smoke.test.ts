import { afterAll, describe, expect, test } from 'bun:test';
import { engines } from './support/engines.ts';
import { startTestService } from './support/service.ts';

for (const engine of engines)
  describe(engine.name, async () => {
    const service = await startTestService(engine);
    afterAll(() => service.stop());
    test('works', async () => {
      const made = await service.call('POST', '/v1/activities', { body: { name: 'a' } });
      expect(made.status).toBe(200);
      expect((await service.call('GET', `/v1/activities/${made.body.id}`)).status).toBe(200);
      expect((await service.call('GET', `/v1/activities`)).body.meta.total).toBe(1);
      expect((await service.call('GET', `/v1/videos?title=abc`)).body.meta.total).toBe(0);
      expect((await service.call('POST', `/v1/activities/1/visitors`)).status).toBe(200);
      expect((await service.call('POST', `/v1/activities/1/userRecords`)).status).toBe(200);
    });
  });
