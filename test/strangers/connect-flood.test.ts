// A flood of connects is turned away before anything is made for it, counted, and an encoder from elsewhere gets in.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { clientHandshake } from '../../src/stream/rtmp/handshake.ts';
import { attack } from '../support/attacks/connect-flood.ts';
import { type RtmpStage, rudeAddress, startRtmpStage } from '../support/rtmp-stage.ts';
import { floodConnects } from '../support/rude/many-connects.ts';
import { connectRudely } from '../support/rude/rude-rtmp.ts';

/** The show that is on, the look that the first measures take, and another show are three. */
const perSecond = 3;
let stage: RtmpStage;
beforeAll(async () => {
  stage = await startRtmpStage({ RTMP_CONNECTS_PER_NETWORK: String(perSecond) });
});
afterAll(() => stage.end());

test('a network connects so often at once, and the next is closed unheard', async () => {
  const port = stage.service.rtmpPort;
  // All at once: a little later the system would make the rest wait.
  const dials = Array.from({ length: 4 * perSecond }, () =>
    connectRudely({ port, from: rudeAddress }),
  );
  const clients = await Promise.all(dials);
  while ((await stage.refusals('connects')) === 0) await Bun.sleep(50);
  await Promise.any(clients.map(({ closed }) => closed));
  expect(clients.filter(({ isClosed }) => !isClosed).length).toBeGreaterThanOrEqual(perSecond);
  for (const client of clients) client.cut();
});

test('a show begins beside a flood, which is kept out by the system', async () => {
  await stage.under(attack, async () => {
    const reason = process.platform === 'linux' ? 'dropped' : 'connects';
    while ((await stage.refusals(reason)) < 100) await Bun.sleep(50);
    await stage.anotherShow();
  });
});

test('in a crowd of networks a new one gets in', async () => {
  const hello = clientHandshake();
  const size = { addresses: 100, perSecond: 1_000, forMs: 60_000 };
  const crowd = { port: stage.service.rtmpPort, hello, ...size };
  const run = (_: unknown, given: { signal: AbortSignal }) =>
    floodConnects({ ...crowd, ...given, from: '127.0.50.1' });
  await stage.under({ run }, async () => {
    while ((await stage.refusals('crowd')) === 0) await Bun.sleep(50);
    await stage.anotherShow();
  });
});

test('nothing of it is an error of ours, nor a line each', () => {
  const lines = stage.service.logLines.map((line) => JSON.parse(line));
  expect(lines.filter(({ level }) => level === 'error')).toEqual([]);
  expect(lines.filter(({ message }) => message === 'refused').length).toBeLessThan(50);
});
