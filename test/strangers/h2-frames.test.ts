// Frames of HTTP/2 that ask for nothing: whoever sends them is closed, its network waits for moments, others do not.
import { afterAll, beforeAll, describe, expect } from 'bun:test';
import { attack, bytesMax, floods, sendFrames } from '../support/attacks/h2-frames.ts';
import { makeCertificate, noOpenssl } from '../support/certificate.ts';
import { connectTries } from '../support/connect-tries.ts';
import { temporaryFolder } from '../support/engines.ts';
import { notLinux, testWith } from '../support/needs.ts';
import { refusalCounts } from '../support/refusal-counts.ts';
import { untilThen } from '../support/rude/rude-sockets.ts';
import { type ServiceProcess, startProcess } from '../support/service-process.ts';

const lacking = notLinux ?? noOpenssl;

describe('with a certificate', () => {
  let service: ServiceProcess;
  let port = 0;
  beforeAll(async () => {
    if (lacking !== undefined) return;
    const settings = { DATA_DIR: temporaryFolder(), MIN_FREE_DISK: '10M', LOG_LEVEL: 'silent' };
    const bounds = { HTTP_BYTES_PER_SECOND: '16K' };
    service = await startProcess({ ...settings, ...bounds, ...makeCertificate() });
    port = Number(new URL(service.url).port);
  });
  afterAll(() => service?.kill());

  const ask = (path: string, init: RequestInit = {}) =>
    fetch(service.url + path, { ...init, tls: { rejectUnauthorized: false } });
  const refused = async () => refusalCounts(await (await ask('/metrics')).text());

  for (const [at, kind] of Object.keys(floods).entries())
    testWith(lacking, `who sends ${kind} is closed`, async () => {
      const before = (await refused())['http bytes'] ?? 0;
      const { signal } = new AbortController();
      const sent = await sendFrames(kind, { port, from: `127.0.70.${at + 1}`, signal });
      expect(sent).toBeLessThan(bytesMax);
      const counted = ((await refused())['http bytes'] ?? 0) - before;
      // Both are answered; Bun closes by itself for answers that are not read, and may be first.
      if (kind === 'pings' || kind === 'settings') expect(counted).toBeLessThanOrEqual(1);
      else expect(counted).toBe(1);
    });

  testWith(lacking, 'a caller of the same network is answered all the while', async () => {
    const before = (await refused())['http bytes'] ?? 0;
    const ending = new AbortController();
    const { signal } = ending;
    const [kind = ''] = Object.keys(floods);
    const flood = sendFrames(kind, { port, from: '127.0.0.1', signal }).then(() => ending.abort());
    const headers = { 'x-padding': 'x'.repeat(8_000) };
    // As many bytes as would be too many if they were no requests.
    for (let asked = 0; asked < 100 || !signal.aborted; asked += 1)
      expect(await (await ask('/livez', { headers })).text()).toBe('ok\n');
    await flood;
    expect((await refused())['http bytes']).toBe(before + 1);
  });

  testWith(lacking, 'while it comes back again and again its neighbours get in', async () => {
    const ending = new AbortController();
    const { signal } = ending;
    const way = { port, from: '127.0.70.100', signal };
    const flood = async () => {
      while (!signal.aborted) await sendFrames('pings', way);
    };
    const before = (await refused())['http dropped'] ?? 0;
    const floods = [flood(), flood()];
    const isDropping = async () => ((await refused())['http dropped'] ?? 0) > before;
    while (!(await isDropping())) await Bun.sleep(10);
    const visits: Promise<number>[] = [];
    for (let visit = 0; visit < 40; visit += 1) {
      visits.push(connectTries(way));
      await Bun.sleep(50);
    }
    const tries = await Promise.all(visits);
    ending.abort();
    await Promise.all(floods);
    expect(tries.filter((count) => count === 1).length).toBeGreaterThan(20);
    expect(tries.filter((count) => count <= 2).length).toBeGreaterThan(30);
  });

  testWith(lacking, 'who comes back is kept out, and others are served', async () => {
    const ending = new AbortController();
    const { signal } = ending;
    const target = { port, rtmpPort: 0, token: '', channels: [], show: { id: 0, play_id: '' } };
    const before = await refused();
    const done = attack.run(target, { from: '127.0.0.2', signal }).then(() => ending.abort());
    await untilThen(signal, async () => {
      const counts = await refused();
      const isCounted = (reason: string) => (counts[reason] ?? 0) > (before[reason] ?? 0);
      if (attack.refusals.every(isCounted)) ending.abort();
    });
    await done;
    const counts = await refused();
    for (const reason of attack.refusals)
      expect(counts[reason]).toBeGreaterThan(before[reason] ?? 0);
  });
});
