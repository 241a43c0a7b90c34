// HTTPS with HTTP/2, as Apple's low-latency mode and many tabs need it: a live stream over one connection.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { connect } from 'node:http2';
import { join } from 'node:path';
import { readConfig } from '../src/config.ts';
import { startLog } from '../src/lib/log.ts';
import { type Service, startService } from '../src/main.ts';
import { startClipPush } from '../trial/support/clip-push.ts';
import { until } from '../trial/support/live-channel.ts';
import { refusedStart } from '../trial/support/service-process.ts';
import { testWith } from './faults/needs.ts';
import { temporaryFolder } from './support/engines.ts';
import { desktopChrome } from './support/page.ts';

setDefaultTimeout(180_000);

const noOpenssl = Bun.which('openssl') ? undefined : 'it needs openssl to make a certificate';

describe('with a certificate', () => {
  let service: Service;
  let base: string;
  beforeAll(async () => {
    if (noOpenssl !== undefined) return;
    const settings = {
      ...makeCertificate(),
      DATA_DIR: temporaryFolder(),
      PORT: '0',
      RTMP_PORT: '0',
      HOST: '127.0.0.1',
      MIN_FREE_DISK: '10M',
    };
    const log = startLog('silent');
    service = await startService(readConfig(settings), { log });
    base = `https://127.0.0.1:${service.port}`;
  });
  afterAll(() => service?.stop());

  const ask = (path: string, init: RequestInit = {}) =>
    fetch(base + path, { ...init, tls: { rejectUnauthorized: false } });

  testWith(noOpenssl, 'the interface answers over TLS, with addresses that say so', async () => {
    expect((await ask('/livez')).status).toBe(200);
    const channel = await newChannel();
    expect(channel.hls_play_addr).toStartWith(`${base}/hls/`);
    expect(channel.rtmp_publish_addr).toStartWith(`rtmp://127.0.0.1:${service.rtmpPort}/live/`);
  });

  testWith(noOpenssl, "a page's WebSocket opens over TLS", async () => {
    const page = new WebSocket(`${base.replace('https', 'wss')}/audience`, {
      headers: { origin: base, 'user-agent': desktopChrome },
      tls: { rejectUnauthorized: false },
    });
    page.onopen = () => page.send('{"type":"hello","ticket":"none","instance":"1"}');
    const answer = await new Promise((resolve, reject) => {
      page.onmessage = ({ data }) => resolve(JSON.parse(String(data)));
      page.onclose = ({ code }) => reject(new Error(`closed with ${code}`));
    });
    expect(answer).toEqual({ type: 'refused', reason: 'ticket' });
  });

  testWith(noOpenssl, 'a live playlist and its parts come over one HTTP/2 connection', async () => {
    const channel = await newChannel();
    const push = await startClipPush(channel.rtmp_publish_addr);
    const { pathname } = new URL(channel.hls_play_addr);
    await until(async () => (await ask(`${pathname}?low_latency`)).status === 200, {
      withinMs: 5_000,
      otherwise: 'it is not live',
    });
    const session = connect(base, { rejectUnauthorized: false });
    try {
      const get = (path: string) => http2Get(session, path);
      const list = await get(`${pathname}?low_latency`);
      expect(session.alpnProtocol).toBe('h2');
      expect(list.status).toBe(200);
      const names = [...list.body.toString().matchAll(/URI="([^"]+\.m(?:p4|4s))"/g)];
      // The last is announced: its answer comes when the part does, behind the others on the same line.
      const pieces = await Promise.all(
        names.map(([, name = '']) => get(pathname.replace('live.m3u8', name))),
      );
      expect(pieces.length).toBeGreaterThan(1);
      for (const { status, body } of pieces) {
        expect(status).toBe(200);
        expect(['ftyp', 'moof']).toContain(body.toString('latin1', 4, 8));
      }
    } finally {
      session.close();
      await push.end();
    }
  });

  const newChannel = async () => {
    const response = await ask('/v1/activities', {
      method: 'POST',
      headers: {
        authorization: `Bearer ${service.firstToken}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ name: 'a show' }),
    });
    return (await response.json()) as { hls_play_addr: string; rtmp_publish_addr: string };
  };
});

test('a certificate that cannot be read is said plainly', async () => {
  const { exitCode, stderr } = await refusedStart({
    DATA_DIR: temporaryFolder(),
    TLS_CERT: '/nowhere/cert.pem',
    TLS_KEY: '/nowhere/key.pem',
  });
  expect(exitCode).toBe(1);
  expect(stderr).toContain('TLS_CERT names a file that cannot be read: "/nowhere/cert.pem"');
});

/** Of this machine's own making, for a day. */
function makeCertificate(): { TLS_CERT: string; TLS_KEY: string } {
  const folder = temporaryFolder();
  const [TLS_CERT, TLS_KEY] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  const { exitCode, stderr } = Bun.spawnSync([
    ...['openssl', 'req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'],
    ...['-nodes', '-subj', '/CN=localhost', '-days', '1', '-out', TLS_CERT, '-keyout', TLS_KEY],
  ]);
  if (exitCode !== 0) throw new Error(stderr.toString());
  return { TLS_CERT, TLS_KEY };
}

async function http2Get(
  session: ReturnType<typeof connect>,
  path: string,
): Promise<{ status: number; body: Buffer }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; body: Buffer }>();
  const stream = session.request({ ':path': path });
  const pieces: Buffer[] = [];
  let status = 0;
  stream.on('response', (headers) => {
    status = Number(headers[':status']);
  });
  stream.on('data', (bytes: Buffer) => pieces.push(bytes));
  stream.on('end', () => resolve({ status, body: Buffer.concat(pieces) }));
  stream.on('error', reject);
  stream.end();
  return await promise;
}
