// An upload to a disk that takes a tenth of a second for each write: the sender waits, nobody is taken for a flood, memory stays.
import { expect } from 'bun:test';
import { temporaryFolder } from '../support/engines.ts';
import { slowWrites, whyNoInjection } from '../support/injection.ts';
import { testWith } from '../support/needs.ts';
import { startProcess } from '../support/service-process.ts';
import { filmOf, sendByTus } from '../support/uploads.ts';

const megabyte = 1_048_576;

testWith(
  await whyNoInjection(),
  'one request brings all of it, as slowly as the disk takes it',
  async () => {
    const settings = { DATA_DIR: temporaryFolder(), MIN_FREE_DISK: '10M' };
    const service = await startProcess(settings);
    try {
      const made = await service.call('POST', '/v1/activities', { body: { name: 'films' } });
      const file = await filmOf(24 * megabyte);
      const slow = await slowWrites({ pid: service.pid, delayMs: 100 });
      const before = service.memory().residentBytes;
      const path = await sendByTus({
        ...{ url: service.url, token: service.token, file },
        metadata: { channel_id: String(made.body.id) },
      });
      const grown = service.memory().peakBytes - before;
      await slow.end();
      const { body } = await service.call('GET', path);
      expect(body.offset).toBe(file.length);
      // One request, which was never cut.
      const { text } = await service.call('GET', '/metrics');
      expect(text.match(/requests_total\{operation="continueUpload".*/g)).toEqual([
        'requests_total{operation="continueUpload",status="204"} 1',
      ]);
      expect(text).not.toMatch(/refusals_total\{kind="http".*\} [1-9]/);
      expect(grown).toBeLessThan(64 * megabyte);
    } finally {
      await service.kill();
    }
  },
);
