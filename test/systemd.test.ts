// A service that systemd runs: what it is told from the start of the process to its end.
import { expect } from 'bun:test';
import { join } from 'node:path';
import { temporaryFolder } from './support/engines.ts';
import { notLinux, testWith } from './support/needs.ts';
import { receiveNotices } from './support/notify-receiver.ts';
import { startProcess } from './support/service-process.ts';

testWith(
  notLinux,
  'it is ready when it can be asked, is alive, and says when it stops',
  async () => {
    const folder = temporaryFolder();
    const NOTIFY_SOCKET = join(folder, 'notify');
    const receiver = receiveNotices(NOTIFY_SOCKET);
    const settings = { DATA_DIR: join(folder, 'data'), NOTIFY_SOCKET, WATCHDOG_USEC: '600000' };
    const service = await startProcess(settings);
    try {
      await receiver.heard('READY=1');
      expect((await service.call('GET', '/readyz')).status).toBe(200);
      await receiver.heard('WATCHDOG=1', 2);
      expect(receiver.lines()).not.toContain('STOPPING=1');
    } finally {
      await service.stop();
    }
    await receiver.heard('STOPPING=1');
    receiver.close();
  },
);
