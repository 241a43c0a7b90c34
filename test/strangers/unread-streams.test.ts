// HTTP/2 streams that nobody reads: what a connection leaves with us is bounded, and others are served.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout } from 'bun:test';
import { attack } from '../../trial/attacks/unread-streams.ts';
import { type ServiceProcess, startProcess } from '../../trial/support/service-process.ts';
import { notLinux, testWith } from '../faults/needs.ts';
import { makeCertificate, noOpenssl } from '../support/certificate.ts';
import { temporaryFolder } from '../support/engines.ts';
import { refusalCounts } from '../support/refusal-counts.ts';

setDefaultTimeout(180_000);

const lacking = notLinux ?? noOpenssl;

describe('with a certificate', () => {
  let service: ServiceProcess;
  beforeAll(async () => {
    if (lacking !== undefined) return;
    const settings = { DATA_DIR: temporaryFolder(), MIN_FREE_DISK: '10M', LOG_LEVEL: 'silent' };
    service = await startProcess({ ...settings, ...makeCertificate() });
  });
  afterAll(() => service?.kill());

  const ask = (path: string) => fetch(service.url + path, { tls: { rejectUnauthorized: false } });

  testWith(
    lacking,
    'eight connections that read nothing hold little, and are told no',
    async () => {
      const body = await (await ask('/openapi.json')).text();
      const before = service.memory().residentBytes;
      const ending = new AbortController();
      const { port } = new URL(service.url);
      const target = {
        port: Number(port),
        rtmpPort: 0,
        token: '',
        channels: [],
        show: { id: 0, play_id: '' },
      };
      const done = attack
        .run(target, { from: '127.0.0.2', signal: ending.signal })
        .then(() => ending.abort());
      while (!ending.signal.aborted) expect(await (await ask('/livez')).text()).toBe('ok\n');
      await done;
      const counts = refusalCounts(await (await ask('/metrics')).text());
      expect(counts['http unread']).toBeGreaterThan(0);
      // Whole, 2,048 of them would be held, two bytes a character.
      const wholeBytes = 2_048 * 2 * body.length;
      expect(service.memory().peakBytes - before).toBeLessThan(wholeBytes / 2);
      // What was let go is there for others.
      expect(await (await ask('/openapi.json')).text()).toBe(body);
    },
  );
});
