// Answers that are asked for and never taken: the system's memory for them has a bound, and who has most of it is closed.
import { afterAll, beforeAll, expect } from 'bun:test';
import { temporaryFolder } from '../support/engines.ts';
import { notLinux, testWith } from '../support/needs.ts';
import { refusalCounts } from '../support/refusal-counts.ts';
import { openRawConnects } from '../support/rude/raw-connects.ts';
import { type ServiceProcess, startProcess } from '../support/service-process.ts';

let service: ServiceProcess;
beforeAll(async () => {
  const settings = { DATA_DIR: temporaryFolder(), MIN_FREE_DISK: '10M', LOG_LEVEL: 'silent' };
  service = await startProcess({ ...settings, HTTP_UNSENT_MEMORY: '1M' });
});
afterAll(() => service.kill());

const refused = async () => {
  const text = await (await fetch(`${service.url}/metrics`)).text();
  return refusalCounts(text)['http unsent'] ?? 0;
};

testWith(notLinux, 'who holds most is closed, until its network has its share', async () => {
  const { host, port } = new URL(service.url);
  const connects = openRawConnects(Number(port), { unreadBytes: 4_096 });
  const ask = Buffer.from(`GET /openapi.json HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
  const open = (from: string, count: number) =>
    Array.from({ length: count }, () => connects.begin(from)).filter((fd) => fd !== undefined);
  // Some 100 KB each.
  const connections = [...open('127.0.72.1', 2), ...open('127.0.72.2', 30)];
  // Nobody tells when the system has connected them.
  await Bun.sleep(100);
  for (const fd of connections) connects.send(fd, ask);
  while ((await refused()) < 25) await Bun.sleep(50);
  expect((await fetch(`${service.url}/openapi.json`)).status).toBe(200);
  for (const fd of connections) connects.cut(fd);
  // Two of each are a little; of the thirty no more than half of what these leave.
  expect(await refused()).toBeLessThan(30);
});
