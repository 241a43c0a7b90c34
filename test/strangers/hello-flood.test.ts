// Hellos of TLS without an end: few of their network are let in by the system, others connect all the while.
import { afterAll, beforeAll, beforeEach, describe, expect } from 'bun:test';
import { recordedHello } from '../support/attacks/hello-flood.ts';
import { makeCertificate, noOpenssl } from '../support/certificate.ts';
import { temporaryFolder } from '../support/engines.ts';
import { notLinux, testWith } from '../support/needs.ts';
import { refusalCounts } from '../support/refusal-counts.ts';
import { floodConnects } from '../support/rude/many-connects.ts';
import { type ServiceProcess, startProcess } from '../support/service-process.ts';

const lacking = notLinux ?? noOpenssl;
const perSecond = 20;
const atOnce = 2 * perSecond;

describe('with a certificate', () => {
  let service: ServiceProcess;
  beforeAll(async () => {
    if (lacking !== undefined) return;
    const settings = { DATA_DIR: temporaryFolder(), MIN_FREE_DISK: '10M', LOG_LEVEL: 'silent' };
    const bounds = { HTTP_CONNECTS_PER_NETWORK: String(perSecond) };
    service = await startProcess({ ...settings, ...bounds, ...makeCertificate() });
  });
  afterAll(() => service?.kill());
  // What was opened before counts no more then.
  beforeEach(async () => {
    if (lacking === undefined) await Bun.sleep((1_000 * atOnce) / perSecond);
  });

  const ask = (path: string, keepalive: boolean) =>
    fetch(service.url + path, { keepalive, tls: { rejectUnauthorized: false } });
  const askAnew = () => ask('/livez', false);
  // Over a kept connection: who looks takes no part in what it counts.
  const refused = async () => refusalCounts(await (await ask('/metrics', true)).text());

  testWith(
    lacking,
    'as many as one network opens at once come in, and are not closed',
    async () => {
      const before = await refused();
      // That was a connection, too.
      await Bun.sleep(1_000);
      const answers = await Promise.all(Array.from({ length: atOnce }, () => askAnew()));
      expect(answers.map(({ status }) => status)).toEqual(Array(atOnce).fill(200));
      // Nor is the next one, which has become due, kept out; what was dropped would be known when that is over.
      await Bun.sleep(500);
      expect((await askAnew()).status).toBe(200);
      await Bun.sleep(1_000);
      expect(await refused()).toEqual(before);
    },
  );

  testWith(lacking, 'a network that floods is kept out, and others come in', async () => {
    const ending = new AbortController();
    const flood = floodConnects({
      port: Number(new URL(service.url).port),
      from: '127.0.71.1',
      signal: ending.signal,
      hello: await recordedHello(),
      addresses: 2,
      perSecond: 500,
      forMs: 120_000,
    });
    while (((await refused())['http dropped'] ?? 0) < 20) await Bun.sleep(50);
    // Fewer at once than one of a crowd may open.
    for (let asked = 0; asked < 10; asked += 1) expect((await askAnew()).status).toBe(200);
    ending.abort();
    await flood;
  });
});
