// The longest fields of HTTP requests, and the longest answers that one of them asks for.
import { connect } from 'node:net';
import { deviceOf } from '../../../src/audience/viewers/device.ts';
import { originOf } from '../../../src/audience/viewers/origin.ts';
import { openPlaces } from '../../../src/audience/viewers/place.ts';
import { readWatchLink } from '../../../src/audience/viewers/watch-link.ts';
import { ApiError } from '../../../src/base/api/errors.ts';
import {
  address,
  alsoAs,
  colour,
  dateTime,
  flag,
  integer,
  text,
} from '../../../src/base/api/fields.ts';
import { readFormBody } from '../../../src/base/api/form-body.ts';
import { bodyBytesMax, readJsonBody } from '../../../src/base/api/json-body.ts';
import { takesGzip } from '../../../src/base/api/media-answer.ts';
import { envelope } from '../../../src/base/api/paging.ts';
import { hasTag, over, queryOf, rawParameter } from '../../../src/base/api/request.ts';
import { readPart } from '../../../src/base/api/shape.ts';
import { Spellings } from '../../../src/base/api/spellings.ts';
import { type Libc, openLibc } from '../../../src/base/lib/libc.ts';
import { startLog } from '../../../src/base/lib/log.ts';
import { startMetrics } from '../../../src/base/lib/metrics.ts';
import { readSignedText } from '../../../src/base/lib/signed-text.ts';
import { Zone } from '../../../src/base/lib/time.ts';
import { Refusals } from '../../../src/base/peers/refusals.ts';
import { consoleCookies } from '../../../src/library/people/console-cookie.ts';
import { checkPassword } from '../../../src/library/people/password.ts';
import { foldedUserName } from '../../../src/library/people/user-name.ts';
import { askedRange } from '../../../src/stream/playback/byte-range.ts';
import { Asker } from '../../../src/web/http/asker.ts';
import type { BunServer } from '../../../src/web/http/bun-handler.ts';
import { BytesWatch } from '../../../src/web/http/bytes-watch.ts';
import { TrustedProxies } from '../../../src/web/http/client-address.ts';
import { Connections } from '../../../src/web/http/connections.ts';
import { httpBounds, httpLimits } from '../../../src/web/http/http-limits.ts';
import { httpRefusals } from '../../../src/web/http/http-refusals.ts';
import { LookSlices } from '../../../src/web/http/look-slices.ts';
import { PageWatch } from '../../../src/web/http/page-watch.ts';
import { type Body, UntakenAnswers } from '../../../src/web/http/untaken-answers.ts';
import { pageViewer } from '../../../src/web/pages/page-viewer.ts';
import { languageOf } from '../../../src/web/pages/texts.ts';
import type { Largest } from '../../support/stretch.ts';

/** What Bun takes of a request's head. */
const headBytes = 16_384;

const filled = (part: string, length = headBytes) =>
  part.repeat(Math.ceil(length / part.length)).slice(0, length);

const shape = {
  name: text('a name', { max: 200 }),
  page: alsoAs(integer('a number', { min: 1, max: 100 }), 'pageNo'),
  logo: address('an address'),
  colour: colour('a colour'),
  shown: flag('whether', { cleared: false }),
  at: dateTime('a time', new Zone('Asia/Shanghai')),
};
const proxies = new TrustedProxies('127.0.0.0/8');
const log = startLog('debug', { write: (text) => text.length });

export const http: readonly Largest[] = [
  {
    name: 'a look at 20,000 connections of which half are pages, none met before',
    prepare: async () => {
      const pages = new PageWatch();
      const connections = new Connections({
        pages,
        isCounted: () => false,
        onNew: () => {},
        onBytes: () => {},
        onUnanswered: () => {},
      });
      const crowd = crowdOf(() => 1_000);
      const look = (libc: Libc | undefined) =>
        libc && connections.readDescriptors(libc, { ...lookOf20000, slices: new LookSlices() });
      // Before they come: the first look goes no further than this process has descriptors.
      await look(crowd && { ...crowd, socketOf: () => undefined });
      for (let fd = 1; fd <= 20_000; fd += 1)
        pages.upgraded({ toldBytes: 0, cut: () => {} }, `192.0.2.1 ${2 * fd}`);
      return () => look(crowd);
    },
  },
  {
    name: 'a look at 20,000 connections of which all send too much',
    prepare: async () => {
      const bytes = newBytesWatch();
      const pages = new PageWatch();
      const connections = new Connections({
        pages,
        isCounted: (network) => bytes.isCounted(network),
        onNew: () => {},
        onBytes: (one, came) => bytes.came(one, came),
        onUnanswered: () => {},
      });
      let receivedBytes = 0;
      const crowd = crowdOf(() => receivedBytes);
      const look = async () => {
        receivedBytes += 1_000_000;
        bytes.begin();
        const slices = new LookSlices();
        const given = { ...lookOf20000, slices };
        if (crowd) await connections.readDescriptors(crowd, given);
        return bytes.judge(slices);
      };
      await look();
      return look;
    },
  },
  {
    name: 'segments that 16 connections take, two each, as fast as they are given',
    prepare: () => {
      const untaken = newUntakenAnswers();
      // The largest that there is.
      const segment = new Blob([new Uint8Array(12_000_000)]);
      const streams = Array.from({ length: 32 }, (_, at) => {
        const peer = { address: `192.0.2.${at >> 1}`, port: 1 };
        const server = { requestIP: () => peer } as unknown as BunServer;
        return untaken.bounded(new Request('https://a/'), server, segment);
      });
      return () => Promise.all(streams.map(takeWhole));
    },
  },
  shapes('a query', queryAt, {
    'many names': Array.from({ length: 3_000 }, (_, n) => n.toString(36)).join('&'),
    'one name, many values': filled('name=1&name=2&'),
    'one value of escapes': `name=${filled('%F0%9F%91')}`,
    'ampersands alone': filled('&'),
    'a name that is long': filled('name'),
    'another spelling, and many unknown names': `pageNo=1${filled('&%E5%90%8D=1&n=1', 1_500)}`,
  }),
  shapes('a query of a player', (query) => rawParameter(`/a?${query}`, '_HLS_msn'), {
    'names that begin alike': filled('_HLS_msn2=1&'),
    ampersands: filled('&'),
  }),
  shapes(
    'links of a page',
    (query) =>
      envelope(9_999, { p: 1, perPage: 1 }, { baseUrl: 'http://a', target: `/a?${query}` }),
    {
      'many names': filled('a&'),
      escapes: filled('%F0%9F%91&'),
    },
  ),
  shapes(
    'X-Forwarded-For',
    (header) =>
      proxies.addressOf('127.0.0.1', (name) => (name === 'x-forwarded-for' ? header : null)),
    {
      'many hops': filled('127.0.0.1,'),
      commas: filled(','),
      'one long hop': filled('1.'),
      colons: filled(':'),
    },
  ),
  shapes(
    'Forwarded',
    (header) => proxies.addressOf('127.0.0.1', (name) => (name === 'forwarded' ? header : null)),
    {
      'many hops': filled('for=127.0.0.1,'),
      'a quote left open': `for="${filled('a')}`,
      backslashes: `for="${filled('\\')}`,
      'a value that ends badly': `for=${filled('a')}(`,
      blanks: `for=a${filled(' ')}x`,
      names: filled('a=b;'),
    },
  ),
  shapes('Accept-Language', languageOf, {
    many: filled('en;q=0.5,'),
    settings: filled('en;q=1;'),
    blanks: `en;${filled(' ')}q=1`,
  }),
  shapes('Accept-Encoding', (header) => takesGzip(() => header), {
    many: filled('gzip;q=0,'),
    blanks: `gzip${filled(' ')};q=1`,
    zeros: `gzip;q=0.${filled('0')}1`,
  }),
  shapes('If-None-Match', (header) => hasTag(header, '"tag"'), {
    many: filled('"a",'),
    blanks: filled(' '),
  }),
  shapes('a Range header', (header) => askedRange(header, 1e9), {
    'a long number': `bytes=${filled('9')}-`,
    'two long numbers': `bytes=${filled('9', headBytes / 2)}-${filled('9', headBytes / 2)}`,
    many: `bytes=${filled('0-,')}`,
    blanks: `bytes=0-${filled(' ')}x`,
  }),
  shapes('a user agent', deviceOf, {
    blanks: `Mozilla/5.0 (${filled(' ')}`,
    digits: `Mozilla/5.0 Version/${filled('1')}`,
    dots: `Mozilla/5.0 Chrome/${filled('1.')}`,
    letters: filled('a'),
    slashes: filled('a/1 '),
    brackets: filled('('),
    names: filled('Safari Chrome Android Version/'),
    semicolons: `Mozilla/5.0 (Linux; ${filled('; ')}Build/`,
    random: Array.from({ length: 1_024 }, (_, n) =>
      String.fromCharCode(33 + ((n * 7_919) % 90)),
    ).join(''),
  }),
  shapes('a referer', (referer) => originOf(referer, { host: 'a', isEmbed: false }), {
    'a long host': `http://${filled('a.')}`,
    'letters of other scripts': `http://${filled('\u4f60.', 5_000)}`,
    'a long path': `http://a/${filled('../')}`,
  }),
  shapes('a Cookie header', viewerBy, {
    'many viewers': filled('footlight_viewer=v1.a.b; '),
    'one long viewer': `footlight_viewer=v1.${filled('a')}.b`,
    'many others': filled('a=b; '),
    semicolons: filled(';'),
    blanks: filled(' '),
  }),
  shapes('a Cookie header of the console', sessionBy, {
    'many sessions': filled('footlight_console=a; '),
    'one long session': `footlight_console=${filled('a')}`,
    'one long mark': `footlight_browser=console1.${filled('a')}.b`,
    'many others': filled('a=b; '),
    semicolons: filled(';'),
  }),
  shapes('a user name and a password', (name) => checkPassword(foldedUserName(name), someone), {
    'letters that grow when they are folded': '\ufdfa'.repeat(255),
    'marks that pile up': `a${'\u0345\u0315'.repeat(127)}`,
    'capitals that change': '\u0130'.repeat(255),
  }),
  shapes('a watch link', (query) => readWatchLink('secret', new URLSearchParams(query), 1, 0), {
    'a long id': `sign=a&expires=1&uid=${filled('u')}`,
    'many of each': filled('sign=a&uid=u&nick=n&phone=1&expires=1&'),
    'a long name': `sign=a&expires=1&uid=u&nick=${filled('%F0%9F%91%A8')}`,
  }),
  shapes('a body', (body) => readNamed(over({}, JSON.parse(body))), bodies()),
  forms({
    'one value of escapes': `name=${filled('%F0%9F%91', bodyBytesMax - 5)}`,
    'a name of escapes': filled('%E5%90%8D', bodyBytesMax - 9),
    'a hundred long values': filled(`name=${'+'.repeat(640)}&`, bodyBytesMax - 1_000),
    'ampersands alone': filled('&', bodyBytesMax),
  }),
  {
    name: 'a body as it comes: arrays in arrays',
    prepare: () => {
      const body = bodies()['a name that is arrays in arrays'] ?? '';
      const request = new Request('http://a/', { method: 'POST', body });
      return async () =>
        refused(async () => readPart(shape, await readJsonBody(request, httpBounds.bodyMs)));
    },
  },
  {
    name: 'a body as it comes: chunks of a byte',
    prepare: () => {
      const answered = Promise.withResolvers<void>();
      const server = Bun.serve({
        port: 0,
        fetch: async (request) => {
          await refused(() => readJsonBody(request, httpBounds.bodyMs));
          return new Response();
        },
      });
      boundUnread(server.port ?? 0);
      const socket = connect({ host: '127.0.0.1', port: server.port ?? 0 });
      socket.once('data', () => answered.resolve());
      const chunks = `1\r\n \r\n`.repeat(bodyBytesMax - 1);
      return async () => {
        socket.write('POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n');
        socket.write(`${chunks}0\r\n\r\n`);
        await answered.promise;
        socket.destroy();
        server.stop(true);
      };
    },
  },
  shapes(
    'a line of the log',
    (path) => log.request({ request_id: 'a', method: 'GET', path, status: 200, ms: 1 }),
    logged(),
  ),
  shapes(
    'a warning in the log',
    (path) => log.warn('refused', { path, error: new Error(path) }),
    logged(),
  ),
  {
    name: 'the book of refusals: a thousand peers refused, and shown',
    prepare: () => {
      const refusals = new Refusals({ now: () => 0, log: startLog('silent') });
      const book = refusals.book('kind', { reason: 'A sentence' });
      return () => {
        for (let n = 0; n < 2_000; n += 1) book.note('reason', `network ${n}`);
        return structuredClone(refusals.recent());
      };
    },
  },
  {
    name: '/metrics of a hundred operations, each with ten statuses',
    prepare: () => {
      const metrics = startMetrics();
      for (let n = 0; n < 1_000; n += 1) metrics.count(`operation ${n % 100}`, 200 + n / 100, 1);
      return () => metrics.text();
    },
  },
  {
    name: 'places of a hundred addresses',
    prepare: async () => {
      const places = await openPlaces({ file: '', log: startLog('silent') });
      places.of('1.2.3.4', 'en');
      places.of('2001:db8::1', 'en');
      return () => {
        for (let n = 0; n < 100; n += 1) {
          places.of(`${n + 1}.2.3.4`, 'en');
          places.of(`2a${n.toString(16).padStart(2, '0')}::1`, 'zh');
        }
      };
    },
  },
  ...['8.8.8.8', '2a00:1450::1'].map((ip) => ({
    name: `the first place that is asked for: of ${ip}`,
    prepare: async () => {
      const places = await openPlaces({ file: '', log: startLog('silent') });
      return () => places.of(ip, 'en');
    },
  })),
].flat();

/** The same field in several shapes. */
function shapes(
  what: string,
  read: (given: string) => unknown,
  given: Record<string, string>,
): Largest[] {
  return Object.entries(given).map(([how, text]) => ({
    name: `${what}: ${how}`,
    prepare: () => () => refused(() => read(text)),
  }));
}

/** Forms as they come. */
function forms(given: Record<string, string>): Largest[] {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  return Object.entries(given).map(([how, body]) => ({
    name: `a form: ${how}`,
    prepare: () => {
      const request = new Request('http://a/', { method: 'POST', headers, body });
      return () => refused(async () => readNamed(await readFormBody(request, httpBounds.bodyMs)));
    },
  }));
}

function queryAt(query: string): unknown {
  const target = `/a?${query}`;
  return readNamed(queryOf(target), target);
}

/** As a request's part is read: with what is said of its names. */
function readNamed(came: Record<string, unknown>, target = '/a'): unknown {
  const spellings = new Spellings();
  const given = readPart(shape, came, { spellings });
  return [given, spellings.ignored, spellings.ownTarget(target)];
}

const someone = { user_name: 'somebody' };

function sessionBy(cookie: string): unknown {
  const cookies = consoleCookies({ isSecure: false });
  const mark = cookies.browserIn(cookie);
  return [cookies.sessionsIn(cookie), mark && readSignedText('ours', 'console1', mark)];
}

function viewerBy(cookie: string): unknown {
  return pageViewer({
    call: {
      header: (name) => (name === 'cookie' ? cookie : null),
      query: new URLSearchParams(),
      baseUrl: 'http://a',
    },
    channel: { id: 1, account_id: 1, viewer_secret: 'theirs' },
    language: 'en',
    isEmbed: false,
    pass: '',
    secret: 'ours',
    deviceOf,
    links: { note: () => {} },
    now: 0,
  });
}

async function refused(work: () => unknown): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
  }
}

function bodies(): Record<string, string> {
  const names = Array.from({ length: 6_000 }, (_, n) => `"${n.toString(36)}":1`).join(',');
  const depth = bodyBytesMax / 2 - 10;
  const nested = `${'['.repeat(depth)}${']'.repeat(depth)}`;
  return {
    'many names': `{${names}}`,
    'names that are numbers': `{${names
      .replaceAll(/"(\w+)"/g, '"$18"')
      .slice(0, 60_000)
      .replace(/,[^,]*$/, '')}}`,
    'a name that is arrays in arrays': `{"name":${nested}}`,
    'a name that is long': `{"name":"${'\\u0301'.repeat(10_000)}"}`,
    'a colour that is long': `{"colour":"${filled('a', bodyBytesMax - 20)}"}`,
    'an address that is long': `{"logo":"http://${filled('a.', bodyBytesMax - 30)}"}`,
    'a time that is long': `{"at":"${filled('1', bodyBytesMax - 30)}"}`,
    'a number that is long': `{"page":"${filled('1', bodyBytesMax - 30)}"}`,
  };
}

/** Texts in which secrets are looked for. */
function logged(): Record<string, string> {
  return {
    'addresses with passwords': filled('rtmp://user:password@host/'),
    'what looks like the beginning of one': filled('://a:'),
    colons: filled(':'),
    'a long user': `://${filled('a')}`,
    'a long password': `://a:${filled('b')}`,
    bearers: filled('Bearer a '),
    keys: filled('/live/aaaaaaaaaaaaaaa'),
    tokens: filled('footlight_aaaaaaa'),
    quotes: filled('"'),
  };
}

/** As the service does it for its own port. */
function boundUnread(port: number): void {
  const libc = openLibc();
  for (let fd = 3; fd < 1_000; fd += 1)
    if (libc?.localPortOf(fd) === port && libc.isListening(fd))
      libc.boundUnread(fd, httpLimits.unreadBytesMax);
}

function newUntakenAnswers(): UntakenAnswers {
  const refusals = new Refusals({ now: () => 0, log: startLog('silent') });
  return new UntakenAnswers({
    isSecure: true,
    asker: new Asker({ proxies: new TrustedProxies(''), publicUrl: '', isSecure: true }),
    peers: { isAllowed: () => false },
    refusals: refusals.book('http', httpRefusals),
    bounds: httpBounds,
    now: () => 0,
  });
}

async function takeWhole(body: Body | 'refused'): Promise<void> {
  if (!(body instanceof ReadableStream)) throw new Error('it is not given in pieces');
  const reader = body.getReader();
  while (!(await reader.read()).done);
}

function newBytesWatch(): BytesWatch {
  return new BytesWatch({
    isSecure: true,
    bounds: httpBounds,
    peers: { isAllowed: () => false },
    proxies: new TrustedProxies(''),
    monotonicMs: () => performance.now(),
  });
}

const lookOf20000 = { port: 1, descriptorsMax: 20_000, othersMax: Number.POSITIVE_INFINITY, at: 0 };

/** A connection at every descriptor, over each of which so much has come. */
function crowdOf(receivedBytes: () => number): Libc | undefined {
  const libc = openLibc();
  return (
    libc && {
      ...libc,
      lowestFree: () => 20_000,
      localPortOf: () => 1,
      peerOf: (fd) => ({ address: '192.0.2.1', port: fd }),
      socketOf: (fd) => fd,
      trafficOf: () => ({
        receivedBytes: receivedBytes(),
        arrivedBytes: 0,
        unsentBytes: 0,
        isUnderWay: false,
      }),
    }
  );
}
