// HTTP/2 streams that nobody reads, of texts, segments and recordings: what a connection leaves with us is bounded, and others are served.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout } from 'bun:test';
import type { Target } from '../../trial/attacks/attack.ts';
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

  const ask = (path: string, init: RequestInit = {}) => {
    const headers = { authorization: `Bearer ${service.token}` };
    return fetch(service.url + path, { ...init, headers, tls: { rejectUnauthorized: false } });
  };

  /** The attacker has a channel. */
  const attackersTarget = async (): Promise<Target> => {
    const asked = { method: 'POST', body: JSON.stringify({ name: 'a show' }) };
    const made = (await (await ask('/v1/activities', asked)).json()) as ShownChannel;
    const [stream_key = '', play_id = ''] = [made.rtmp_publish_addr, made.rtmp_play_addr].map(
      (url) => url.split('/').at(-1),
    );
    return {
      port: Number(new URL(service.url).port),
      rtmpPort: Number(new URL(made.rtmp_publish_addr).port),
      token: service.token,
      channels: [{ id: made.id, stream_key, play_id }],
      show: { id: 0, play_id: '' },
    };
  };

  testWith(
    lacking,
    'eight connections that read nothing hold little, and are told no',
    async () => {
      const body = await (await ask('/openapi.json')).text();
      const before = service.memory().residentBytes;
      const ending = new AbortController();
      const target = await attackersTarget();
      const done = attack
        .run(target, { from: '127.0.0.2', signal: ending.signal })
        .then(() => ending.abort());
      while (!ending.signal.aborted) expect(await (await ask('/livez')).text()).toBe('ok\n');
      await done;
      const metrics = await (await ask('/metrics')).text();
      expect(refusalCounts(metrics)['http unread']).toBeGreaterThan(0);
      // Of 2,048 segments and recordings that were asked for some are held.
      const held = ['/hls/:playId/:file', '/recordings/:id/:file'].map((path) =>
        answersOf(metrics, path),
      );
      expect(Math.min(...held)).toBeGreaterThan(0);
      expect(held.reduce((sum, count) => sum + count)).toBeLessThan(1_500);
      // Whole, 2,048 of them would be held, two bytes a character.
      const wholeBytes = 2_048 * 2 * body.length;
      expect(service.memory().peakBytes - before).toBeLessThan(wholeBytes / 2);
      // What was let go is there for others.
      expect(await (await ask('/openapi.json')).text()).toBe(body);
    },
  );
});

function answersOf(metrics: string, operation: string): number {
  const line = `footlight_http_requests_total{operation="${operation}",status="200"} `;
  return Number(metrics.split(line)[1]?.split('\n')[0]);
}

interface ShownChannel {
  id: number;
  rtmp_publish_addr: string;
  rtmp_play_addr: string;
}
