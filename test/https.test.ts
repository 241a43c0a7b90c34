// HTTPS with HTTP/2, as Apple's low-latency mode and many tabs need it: a live stream over one connection.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { connect } from 'node:http2';
import { constants } from 'node:os';
import { connect as connectTls } from 'node:tls';
import { startLog } from '../src/base/lib/log.ts';
import { readConfig } from '../src/config.ts';
import { makeConsoleLink } from '../src/library/people/console-link-store.ts';
import { type Service, startService } from '../src/main.ts';
import { makeCertificate, noOpenssl } from './support/certificate.ts';
import { startClipPush } from './support/clip-push.ts';
import { temporaryFolder } from './support/engines.ts';
import { http2Get } from './support/http2-get.ts';
import { until } from './support/live-channel.ts';
import { notLinux, testWith } from './support/needs.ts';
import { desktopChrome } from './support/page.ts';
import { goodPassword } from './support/people.ts';
import { refusedStart, spawnServe, startProcess } from './support/service-process.ts';

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

  testWith(noOpenssl, 'browsers are told to come by HTTPS alone', async () => {
    const { headers } = await ask('/livez');
    expect(headers.get('strict-transport-security')).toBe('max-age=2592000');
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

  testWith(
    noOpenssl,
    "the console's cookie is bound to the host, and read over HTTP/2",
    async () => {
      const { secret: link } = await service.store.perform(makeConsoleLink, {
        account_id: 1,
        now: Date.now(),
      });
      const used = await ask('/manage/v1/links/use', {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: base },
        body: JSON.stringify({ link, user_name: 'ada', password: goodPassword }),
      });
      const [cookie = ''] = used.headers.getSetCookie();
      expect(cookie).toMatch(
        /^__Host-footlight_console=\w+; Path=\/; .*; SameSite=Strict; Secure$/,
      );
      const session = connect(base, { rejectUnauthorized: false });
      try {
        // A browser may send each cookie as a header of its own (RFC 9113 8.2.3).
        const headers = { cookie: ['other=1', cookie.split(';', 1)[0] as string] };
        const me = await http2Get(session, '/manage/v1/me', headers);
        expect(me.status).toBe(200);
        expect(JSON.parse(me.body.toString()).person.user_name).toBe('ada');
      } finally {
        session.close();
      }
    },
  );

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

describe('SIGHUP', () => {
  testWith(notLinux ?? noOpenssl, 'a new certificate is taken, and nobody notices', async () => {
    const files = makeCertificate('first');
    const folder = { DATA_DIR: temporaryFolder(), MIN_FREE_DISK: '10M' };
    const service = await startProcess({ ...folder, ...files });
    const port = Number(new URL(service.url).port);
    try {
      const asking = [...Array(4)].map(() => askAgainAndAgain(port));
      const kept = [...Array(4)].map(() => askOnOneConnection(port));
      const everybody = [...asking, ...kept];
      await Promise.all(everybody.map(({ asked }) => asked(20)));

      await Bun.write(files.TLS_CERT, 'no certificate');
      process.kill(service.pid, 'SIGHUP');
      await service.logged('the certificate could not be read anew');
      expect(await nameShown(port)).toBe('first');

      makeCertificate('second', files);
      process.kill(service.pid, 'SIGHUP');
      await service.logged('the certificate was read anew');
      await Promise.all(everybody.map(({ asked }) => asked(20)));
      expect(await nameShown(port)).toBe('second');

      for (const one of everybody) expect(await one.end()).toEqual([]);
      expect(await service.stop()).toBe(0);
    } finally {
      await service.kill();
    }
  });

  testWith(notLinux, 'without a certificate it is a line in the log', async () => {
    const service = await startProcess({ DATA_DIR: temporaryFolder(), MIN_FREE_DISK: '10M' });
    process.kill(service.pid, 'SIGHUP');
    await service.logged('there is no certificate to read anew');
    expect((await service.call('GET', '/livez')).status).toBe(200);
    expect(await service.stop()).toBe(0);
  });

  testWith(notLinux, 'while the service starts it is heard when that is done', async () => {
    const child = spawnServe({ DATA_DIR: temporaryFolder(), MIN_FREE_DISK: '10M' });
    const log = new Response(child.stderr).text();
    // The program is read when SIGTERM is listened to.
    while (!isCaught(child.pid, constants.signals.SIGTERM)) await Bun.sleep(1);
    child.kill('SIGHUP');
    await child.stdout.getReader().read();
    child.kill('SIGTERM');
    expect(await child.exited).toBe(0);
    expect(await log).toContain('there is no certificate to read anew');
  });
});

/** Whether a process has a handler of its own for the signal. */
function isCaught(pid: number, signal: number): boolean {
  const [, mask = '0'] =
    /^SigCgt:\s+(\w+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return ((BigInt(`0x${mask}`) >> BigInt(signal - 1)) & 1n) === 1n;
}

/** The name in the certificate that a new connection is shown. */
async function nameShown(port: number): Promise<string> {
  const socket = connectTls({ host: '127.0.0.1', port, rejectUnauthorized: false });
  await new Promise((resolve) => socket.once('secureConnect', resolve));
  const { CN } = socket.getPeerCertificate().subject;
  socket.destroy();
  return String(CN);
}

/** Somebody who asks all the time, what went wrong, and the way to wait for more of it. */
function caller(ask: () => Promise<void>) {
  const problems: string[] = [];
  let count = 0;
  let isOver = false;
  const waiting = new Set<() => void>();
  const run = (async () => {
    while (!isOver) {
      await ask().catch((error) => problems.push(String(error)));
      count += 1;
      for (const look of waiting) look();
    }
  })();
  return {
    /** So many times more. */
    asked: (more: number) =>
      new Promise<void>((resolve) => {
        const until = count + more;
        const look = () => {
          if (count < until) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
      }),
    end: async () => {
      isOver = true;
      await run;
      return problems;
    },
  };
}

const request = (more: string) => `GET /livez HTTP/1.1\r\nHost: localhost\r\n${more}\r\n`;

/** A connection for each request. */
function askAgainAndAgain(port: number) {
  return caller(async () => {
    const connection = await openTls(port);
    await connection.ask(request('Connection: close\r\n'));
  });
}

/** A connection that is kept while the service keeps it. */
function askOnOneConnection(port: number) {
  let connection: Awaited<ReturnType<typeof openTls>> | undefined;
  return caller(async () => {
    connection ??= await openTls(port);
    const answer = await connection.ask(request(''));
    if (/^connection: close/im.test(answer)) connection = undefined;
    await Bun.sleep(1);
  });
}

async function openTls(port: number) {
  const socket = connectTls({ host: '127.0.0.1', port, rejectUnauthorized: false });
  let waiting = Promise.withResolvers<string>();
  socket.on('data', (bytes) => waiting.resolve(String(bytes)));
  socket.on('error', (error) => waiting.reject(error));
  socket.on('close', () => waiting.reject(new Error('closed')));
  waiting.promise.catch(() => {});
  return {
    ask: async (text: string) => {
      waiting = Promise.withResolvers<string>();
      if (socket.destroyed) throw new Error('it was closed already');
      socket.write(text);
      const answer = await waiting.promise;
      if (!answer.startsWith('HTTP/1.1 200 ')) throw new Error(answer);
      return answer;
    },
  };
}
