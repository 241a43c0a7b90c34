// HTTP/2 streams that nobody reads, of texts, segments and recordings: what a connection leaves with us is bounded, and others are served.
import { expect, setDefaultTimeout } from 'bun:test';
import { attack } from '../../trial/attacks/unread-streams.ts';
import { notLinux, testWith } from '../faults/needs.ts';
import { noOpenssl } from '../support/certificate.ts';
import { refusalCounts } from '../support/refusal-counts.ts';
import { startSecureService } from './secure-service.ts';

setDefaultTimeout(180_000);

testWith(
  notLinux ?? noOpenssl,
  'eight connections that read nothing hold little, and are told no',
  async () => {
    const { process, ask, target } = await startSecureService();
    try {
      const body = await (await ask('/openapi.json')).text();
      const before = process.memory().residentBytes;
      const ending = new AbortController();
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
      expect(process.memory().peakBytes - before).toBeLessThan(wholeBytes / 2);
      // What was let go is there for others.
      expect(await (await ask('/openapi.json')).text()).toBe(body);
    } finally {
      await process.kill();
    }
  },
);

function answersOf(metrics: string, operation: string): number {
  const line = `footlight_http_requests_total{operation="${operation}",status="200"} `;
  return Number(metrics.split(line)[1]?.split('\n')[0]);
}
