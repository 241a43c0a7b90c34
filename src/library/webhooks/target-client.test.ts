// Requests to targets: private addresses in every spelling and by rebinding, names and certificates, answers without end.
import { afterAll, describe, expect, test } from 'bun:test';
import { createSocket } from 'node:dgram';
import { getServers, setServers } from 'node:dns';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import fc from 'fast-check';
import { makeCertificate, noOpenssl } from '../../../test/support/certificate.ts';
import { startRawReceiver, startReceiver } from '../../../test/support/webhook-receiver.ts';
import { AnswerProblem, AnswerReader } from './answer-reader.ts';
import { TargetClient, type TargetClientOptions } from './target-client.ts';
import { TargetGuard } from './target-guard.ts';
import { webhookLimits } from './webhook-limits.ts';

const stops: (() => unknown)[] = [];
afterAll(() => Promise.all(stops.map((stop) => stop())));

const guarded = (allowed: string, ownPorts: number[] = []) =>
  new TargetGuard({ allowed, ownPorts: () => ownPorts });

const nobody = guarded('');

function posting(url: string, options: Partial<TargetClientOptions> = {}) {
  const client = new TargetClient({ guard: guarded('127.0.0.0/8'), ...options });
  return client.post({
    url: new URL(url),
    headers: { 'content-type': 'application/json' },
    body: '{"type":"x"}',
  });
}

describe('an address is refused when a webhook is made', () => {
  test.each([
    ...['http://127.0.0.1/', 'http://2130706433/', 'http://0x7f000001/', 'http://017700000001/'],
    ...['http://0x7f.1/', 'http://127.1/', 'http://0177.0.0.1/', 'http://127.0.0.1./', 'http://0/'],
    ...['http://%31%32%37.0.0.1/', 'http://１２７.0.0.1/', 'http://①②⑦.0.0.1/'],
    ...['http://localhost/', 'http://LOCALHOST./', 'http://localho%73t/', 'https://a.localhost/'],
    ...['http://[::1]/', 'http://[::]/', 'http://[::ffff:127.0.0.1]/', 'http://[::ffff:7f00:1]/'],
    ...['http://[::127.0.0.1]/', 'http://[64:ff9b::10.0.0.1]/', 'http://[64:ff9b:1::1]/'],
    ...['http://[2002:7f00:1::]/', 'http://[2002:c0a8:101::1]/', 'http://[2001:0:1::]/'],
    ...['http://[fe80::1]/', 'http://[fd00::1]/', 'http://[ff02::1]/', 'http://[2001:db8::1]/'],
    ...['http://10.1.2.3/', 'http://172.16.0.1/', 'http://192.168.0.1/', 'http://100.64.0.1/'],
    ...['http://169.254.169.254/latest/', 'http://192.0.2.1/', 'http://198.18.0.1/'],
    ...['http://224.0.0.1/', 'http://255.255.255.255/', 'http://240.0.0.1/', 'http://[3fff::1]/'],
    'http://168.63.129.16/',
  ])('%s is private', (url) => {
    expect(nobody.read(url)).toEqual({
      refused:
        'leads to a private address: to allow it, start the service with WEBHOOK_PRIVATE_TARGETS=ADDRESS',
    });
  });

  test.each([
    ...['ftp://example.com/', 'example.com', '//example.com/', 'http://', 'javascript:alert(1)'],
    ...['http://u:p@example.com/', 'http://u@example.com/', 'http://example.com/#x'],
    ...['http://example.com:0/', 'http://example.com:65536/', 'http://exa mple.com/'],
    ...['http://example.com\r\n/', 'http:\\\\example.com/', 'http://127.0.0.1%00.example.com/'],
    ...['http://[fe80::1%25eth0]/', `http://example.com/${'x'.repeat(2_048)}`],
  ])('%j is no target', (url) => {
    expect(nobody.read(url)).toHaveProperty('refused');
  });

  test('public addresses and names are taken, and private ones that are allowed', () => {
    for (const url of [
      ...['https://example.com/x?y=1', 'http://8.8.8.8:8080/', 'http://[2606:4700::1111]/'],
      ...['http://[64:ff9b::8.8.8.8]/', 'http://[2002:808:808::]/'],
    ])
      expect(nobody.read(url)).toHaveProperty('url');
    const some = guarded('10.0.0.0/8, ::1');
    expect(some.read('http://10.9.8.7/')).toHaveProperty('url');
    expect(some.read('http://[64:ff9b::10.0.0.1]/')).toHaveProperty('url');
    expect(some.read('http://[::1]/')).toHaveProperty('url');
    expect(some.read('http://127.0.0.1/')).toHaveProperty('refused');
    expect(guarded('all').read('http://127.1/')).toMatchObject({
      url: { href: 'http://127.0.0.1/' },
    });
  });

  test('the service itself is refused at its public address too, on its own ports', () => {
    const own = (allowed: string) =>
      new TargetGuard({
        allowed,
        ownPorts: () => [8080],
        ownAddresses: () => ['8.8.4.4', '2606:4700::1'],
      });
    expect(own('').read('http://8.8.4.4:8080/')).toEqual({
      refused:
        'leads to this service itself: to allow it, start the service with WEBHOOK_PRIVATE_TARGETS=ADDRESS',
    });
    expect(own('').read('http://[2606:4700:0::1]:8080/')).toHaveProperty('refused');
    expect(own('').read('http://8.8.4.4:8081/')).toHaveProperty('url');
    expect(own('8.8.4.4').read('http://8.8.4.4:8080/')).toHaveProperty('url');
  });

  test('no IPv6 address that holds a private IPv4 one, however, is public', () => {
    const groups = fc.tuple(fc.constantFrom(10, 127, 169, 192), fc.nat(255), fc.nat(255));
    fc.assert(
      fc.property(groups, ([a, b, c]) => {
        const v4 = `${a}.${a === 169 ? 254 : a === 192 ? 168 : b}.${c}.1`;
        for (const prefix of ['::ffff:', '::', '64:ff9b::', '::ffff:0:'])
          expect(nobody.read(`http://[${prefix}${v4}]/`)).toHaveProperty('refused');
      }),
      { seed: 18, numRuns: 50 },
    );
  });
});

describe('a request', async () => {
  const receiver = startReceiver();
  stops.push(receiver.stop);
  const { port } = new URL(receiver.url);

  test('goes to the address that was looked up, with the name it was asked by', async () => {
    const asked: string[] = [];
    receiver.answer = () => new Response('thanks', { headers: { 'x-one': 'two' } });
    const answer = await posting(`http://hook.example:${port}/a?b=c`, {
      resolve: async (name) => {
        asked.push(name);
        return ['127.0.0.1'];
      },
    });
    expect(asked).toEqual(['hook.example']);
    expect(answer).toMatchObject({ status: 200, body: 'thanks' });
    expect(answer.headers).toContainEqual(['x-one', 'two']);
    const { path, headers, body } = receiver.received.at(-1) ?? {};
    expect({ path, body, host: headers?.['host'] }).toEqual({
      path: '/a',
      body: '{"type":"x"}',
      host: `hook.example:${port}`,
    });
  });

  test('goes nowhere where one of the addresses of a name is private', async () => {
    const before = receiver.received.length;
    for (const addresses of [
      ...[['127.0.0.1'], ['8.8.8.8', '127.0.0.1'], ['::ffff:127.0.0.1'], ['fe80::1%lo'], ['x']],
      ...[['0.0.0.0'], ['::'], ['64:ff9b::7f00:1'], ['2130706433'], ['0177.0.0.1']],
    ])
      await expect(
        posting(`http://hook.example:${port}/`, { guard: nobody, resolve: async () => addresses }),
      ).rejects.toThrow(/private address|no plain address/);
    await expect(posting(`http://hook.example/`, { resolve: async () => [] })).rejects.toThrow(
      'no address',
    );
    expect(receiver.received.length).toBe(before);
  });

  test('by a name that leads inwards with the second look is looked up once, and goes nowhere else', async () => {
    const before = receiver.received.length;
    const looks: string[][] = [['127.0.0.9'], ['127.0.0.1']];
    const options = {
      guard: guarded('127.0.0.9'),
      resolve: async () => looks.shift() ?? [],
    };
    // Nobody listens where the first look led; where the name leads by then somebody does.
    await expect(posting(`http://rebind.example:${port}/`, options)).rejects.toThrow('refused');
    await posting(`http://rebind.example:${port}/`, options).catch(({ message }) =>
      expect(message).toContain('private address'),
    );
    expect(receiver.received.length).toBe(before);
  });

  test('that leads elsewhere is not followed', async () => {
    receiver.answer = () => Response.redirect(`http://127.0.0.1:${port}/other`, 307);
    const before = receiver.received.length;
    expect((await posting(receiver.url)).status).toBe(307);
    expect(receiver.received.length).toBe(before + 1);
  });

  test('tries the next address where one does not let it in', async () => {
    receiver.answer = () => new Response(null, { status: 204 });
    const resolve = async () => ['127.0.0.9', '127.0.0.1'];
    expect((await posting(`http://hook.example:${port}/`, { resolve })).status).toBe(204);
  });

  test('takes no proxy from the environment', async () => {
    const proxy = await startRawReceiver((socket) => socket.end());
    stops.push(proxy.stop);
    const names = ['http_proxy', 'HTTP_PROXY', 'ALL_PROXY'];
    for (const name of names) process.env[name] = `http://127.0.0.1:${proxy.port}`;
    try {
      expect((await posting(receiver.url)).status).toBe(204);
    } finally {
      for (const name of names) delete process.env[name];
    }
    expect(proxy.connections()).toBe(0);
  });

  test('is told plainly why it came to nothing', async () => {
    const cases: [string, Partial<TargetClientOptions>, string][] = [
      ['http://127.0.0.1:1/', {}, 'the connection was refused'],
      [`https://127.0.0.1:${port}/`, {}, 'could not be reached'],
      [
        'http://slow.example/',
        { resolve: () => new Promise(() => {}), tryMs: 20 },
        'longer than 0.02 s to look up the name',
      ],
    ];
    for (const [url, options, message] of cases)
      await expect(posting(url, options)).rejects.toThrow(message);
  });
});

test('names whose server is silent keep no thread: files are read meanwhile', async () => {
  const servers = getServers();
  const silent = createSocket('udp4');
  stops.push(() => silent.close());
  await once(silent.bind(0, '127.0.0.1'), 'listening');
  const asked = once(silent, 'message');
  setServers([`127.0.0.1:${silent.address().port}`]);
  try {
    let settled = 0;
    // More than there are threads on any machine that this runs on.
    const client = new TargetClient({ guard: nobody, tryMs: 60_000 });
    for (let at = 0; at < 300; at += 1) {
      const url = new URL(`http://silent-${at}.test/`);
      const posted = client.post({ url, headers: {}, body: '' });
      posted.catch(() => {
        settled += 1;
      });
    }
    await asked;
    await readFile(import.meta.path);
    await Bun.password.hash('one', { algorithm: 'bcrypt', cost: 4 });
    expect(settled).toBe(0);
  } finally {
    setServers(servers);
  }
});

describe.skipIf(noOpenssl !== undefined)('by TLS', () => {
  test('the certificate must be trusted, and of the name that was asked for', async () => {
    const files = makeCertificate('hook.example');
    const tls = {
      cert: readFileSync(files.TLS_CERT, 'utf8'),
      key: readFileSync(files.TLS_KEY, 'utf8'),
    };
    const receiver = startReceiver({ tls });
    stops.push(receiver.stop);
    const { port } = new URL(receiver.url);
    const resolve = async () => ['127.0.0.1'];
    const known = { resolve, ca: tls.cert };
    expect((await posting(`https://hook.example:${port}/`, known)).status).toBe(204);
    await expect(posting(`https://other.example:${port}/`, known)).rejects.toThrow('ALTNAME');
    await expect(posting(`https://127.0.0.1:${port}/`, known)).rejects.toThrow('ALTNAME');
    await expect(posting(`https://hook.example:${port}/`, { resolve })).rejects.toThrow(
      'SELF_SIGNED',
    );
    await Bun.sleep(0);
    expect(receiver.received.length).toBe(1);
  });
});

describe('an answer', () => {
  /** Sends this over and over, and tells how much was taken before the connection was ended. */
  const forEver = (first: string, piece: string) => {
    let sent = 0;
    const ended = Promise.withResolvers<number>();
    const answer = (socket: Socket) => {
      socket.write(first);
      const timer = setInterval(() => {
        for (let at = 0; at < 20 && socket.writable; at += 1) {
          socket.write(piece);
          sent += piece.length;
        }
      }, 1);
      socket.on('close', () => {
        clearInterval(timer);
        ended.resolve(sent);
      });
    };
    return { answer, ended: ended.promise };
  };
  const receiving = async (answer: (socket: Socket) => void) => {
    const raw = await startRawReceiver(answer);
    stops.push(raw.stop);
    return `http://127.0.0.1:${raw.port}/`;
  };

  test('with headers for ever is ended at the bound', async () => {
    const { answer, ended } = forEver('HTTP/1.1 200 OK\r\n', `x-pad: ${'y'.repeat(100)}\r\n`);
    expect(await posting(await receiving(answer)).catch(({ message }) => message)).toContain(
      'headers of the answer take more than 16384 bytes',
    );
    await ended;
  });

  test('of endless 100s is ended at the bound', async () => {
    const { answer, ended } = forEver('', 'HTTP/1.1 100 Continue\r\n\r\n');
    await expect(posting(await receiving(answer))).rejects.toThrow('says 100 over and over');
    await ended;
  });

  test('in the smallest chunks for ever is read for as many as may be', async () => {
    const head = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n';
    const { answer, ended } = forEver(head, '1\r\nz\r\n');
    const answered = await posting(await receiving(answer));
    expect(answered.body).toBe('z'.repeat(webhookLimits.chunksMax));
    await ended;
  });

  test.each([
    ['of no known length', 'HTTP/1.1 200 OK\r\n\r\n', 'z'.repeat(1_000)],
    [
      'of a vast length',
      'HTTP/1.1 200 OK\r\ncontent-length: 99999999999\r\n\r\n',
      'z'.repeat(1_000),
    ],
    [
      'in chunks',
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n',
      `3e8\r\n${'z'.repeat(1_000)}\r\n`,
    ],
  ])('with a body for ever, %s, is read for 64 KB', async (_, first, piece) => {
    const { answer, ended } = forEver(first, piece);
    const answered = await posting(await receiving(answer));
    expect(answered.status).toBe(200);
    expect(answered.body.length).toBe(webhookLimits.answerBytesMax);
    await ended;
  });

  test('that comes too slowly, or not at all, is ended by the time', async () => {
    const heads = ['', 'HTTP/1.1 200 OK\r\n', 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nab'];
    for (const head of heads) {
      const url = await receiving((socket) => socket.write(head));
      await expect(posting(url, { tryMs: 50 })).rejects.toThrow('longer than 0.05 s to answer');
    }
  });

  test('that is none, or cut, is told as such', async () => {
    const cases: [string, string][] = [
      ['', 'closed without an answer'],
      ['SSH-2.0-OpenSSH_9.9\r\n\r\n', 'no answer of HTTP/1.1'],
      ['HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nab', 'before the answer was whole'],
      [
        'HTTP/1.1 200 OK\r\ncontent-length: 9\r\ncontent-length: 8\r\n\r\nab',
        'wrong Content-Length',
      ],
      ['HTTP/1.1 200 OK\r\ntransfer-encoding: gzip\r\n\r\nab', 'not known'],
      ['HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nxyz\r\n', 'has no size'],
      ['HTTP/1.1 200 OK\r\n folded: 1\r\n\r\n', 'cannot be read'],
      ['HTTP/1.1 101 Switching\r\n\r\n', 'change of protocol'],
    ];
    for (const [text, message] of cases) {
      const url = await receiving((socket) => socket.end(text));
      await expect(posting(url)).rejects.toThrow(message);
    }
  });

  test('is the same in whatever pieces it comes, and bent input ends in a sentence', () => {
    const whole = Buffer.from(
      'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 503 No\r\nretry-after: 7\r\ntransfer-encoding: chunked\r\n\r\n4;x=y\r\nab\r\n\r\n3\r\ncde\r\n0\r\n\r\n',
    );
    fc.assert(
      fc.property(
        fc.array(fc.nat(whole.length)),
        fc.option(fc.tuple(fc.nat(whole.length - 1), fc.nat(255))),
        (cuts, bent) => {
          const bytes = Buffer.from(whole);
          if (bent) bytes[bent[0]] = bent[1];
          const reader = new AnswerReader();
          const ends = [...cuts.sort((a, b) => a - b), bytes.length];
          try {
            let from = 0;
            for (const end of ends) {
              reader.push(bytes.subarray(from, end));
              from = Math.max(from, end);
            }
            reader.close();
          } catch (error) {
            expect(error).toBeInstanceOf(AnswerProblem);
            expect(bent).not.toBeNull();
            return;
          }
          if (bent) return;
          expect({ status: reader.status, body: reader.body }).toEqual({
            status: 503,
            body: 'ab\r\ncde',
          });
          expect(reader.headers).toContainEqual(['retry-after', '7']);
        },
      ),
      { seed: 18, numRuns: 500 },
    );
  });
});
