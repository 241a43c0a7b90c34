// HTTP/2 streams that nobody reads, of texts, segments and recordings: what a connection leaves with us is bounded, and others are served.
import { expect } from 'bun:test';
import { askedInAll, askUnread, heldMs, mediaPaths } from '../support/attacks/unread-streams.ts';
import { noOpenssl } from '../support/certificate.ts';
import { until } from '../support/live-channel.ts';
import { notLinux, testWith } from '../support/needs.ts';
import { refusalCounts } from '../support/refusal-counts.ts';
import { pause, untilThen } from '../support/rude/rude-sockets.ts';
import { startSecureService } from './secure-service.ts';

testWith(
  notLinux ?? noOpenssl,
  'eight connections that read nothing hold little, and are told no',
  async () => {
    const { process, ask, target } = await startSecureService();
    const ending = new AbortController();
    const { signal } = ending;
    try {
      const body = await (await ask('/openapi.json')).text();
      const before = process.memory().residentBytes;
      const metricsNow = async () => (await ask('/metrics')).text();
      /** Reads nothing until every answer was made or refused, and then for a while: what is held may still grow. */
      const hold = async (paths: readonly string[], answersSoFar: number) => {
        const close = await askUnread(target, { from: '127.0.0.2', paths });
        const isAnswered = async () =>
          unreadAnswers(await metricsNow()) >= answersSoFar + askedInAll;
        await until(isAnswered, { withinMs: 10_000, otherwise: 'not every stream was answered' });
        await pause(heldMs, signal);
        close();
      };
      const attack = async () => {
        await hold(['/openapi.json'], unreadAnswers(await metricsNow()));
        const paths = await mediaPaths(target, signal);
        await hold(paths, unreadAnswers(await metricsNow()));
      };
      const done = attack().finally(() => ending.abort());
      await untilThen(signal, async () => {
        expect(await (await ask('/livez')).text()).toBe('ok\n');
      });
      await done;
      const metrics = await metricsNow();
      expect(refusalCounts(metrics)['http unread']).toBeGreaterThan(0);
      // Of 2,048 segments and recordings that were asked for some are held.
      const held = mediaOperations.map((path) => answersOf(metrics, path));
      expect(Math.min(...held)).toBeGreaterThan(0);
      expect(held.reduce((sum, count) => sum + count)).toBeLessThan(1_500);
      // Whole, 2,048 of them would be held, two bytes a character.
      const wholeBytes = 2_048 * 2 * body.length;
      expect(process.memory().peakBytes - before).toBeLessThan(wholeBytes / 2);
      // What was let go is there for others.
      expect(await (await ask('/openapi.json')).text()).toBe(body);
    } finally {
      ending.abort();
      await process.kill();
    }
  },
);

const mediaOperations = ['/hls/:playId/:file', '/recordings/:id/:file'];

/** Of what is asked for unread, those that were given and those that were refused. */
function unreadAnswers(metrics: string): number {
  const given = ['/openapi.json', ...mediaOperations].map((path) => answersOf(metrics, path));
  const refused = refusalCounts(metrics)['http unread'] ?? 0;
  return given.reduce((sum, count) => sum + count, refused);
}

function answersOf(metrics: string, operation: string): number {
  const line = `footlight_http_requests_total{operation="${operation}",status="200"} `;
  return Number(metrics.split(line)[1]?.split('\n')[0] ?? 0);
}
