// The recipes for nginx and Caddy, run: page, WebSocket, blocking reload, upload, events and the viewer's address come through.
import { connect as connectHttp2 } from 'node:http2';
import { connect } from 'node:net';
import { startClipPush } from '../test/support/clip-push.ts';
import { temporaryFolder } from '../test/support/engines.ts';
import { EventFollower } from '../test/support/event-follower.ts';
import { http2Get } from '../test/support/http2-get.ts';
import { newLiveChannel, until } from '../test/support/live-channel.ts';
import { readMediaPlaylist } from '../test/support/media-playlist.ts';
import { HttpConnection } from '../test/support/rude/http-connection.ts';
import { newTicket, RudePage, type Way } from '../test/support/rude/rude-page.ts';
import { type ServiceProcess, startProcess } from '../test/support/service-process.ts';
import { demand, type Figures, type RoundOptions, type Trial } from '../test/support/trial.ts';
import { beginHeaders, filmOf, sendByTus, tusHeaders } from '../test/support/uploads.ts';
import {
  lackingProxies,
  type RunningProxy,
  siteName,
  startCaddy,
  startNginx,
} from './support/proxies.ts';
import { openTlsLine, type TlsLine } from './support/tls-line.ts';

/** Where the viewer is, by the proxy's lights: no other peer of the trial comes from there. */
const viewerAddress = '127.0.0.5';
/** What the viewer says of itself, and nobody is to believe. */
const forged = '203.0.113.9';
const withinMs = 60_000;
const uploadBytes = 50_000_000;
/** One in 15 seconds: together longer than the 60 after which nginx cuts who is silent, unless it is told otherwise. */
const marks = 5;

export const trial: Trial = {
  sentence:
    'nginx and Caddy in front, as packages/ has them: page, WebSocket, LL-HLS, 50 MB by tus, events',
  rounds: 1,
  run: async (options) => {
    const lacking = lackingProxies(['nginx', 'caddy', 'pebble']);
    if (lacking !== undefined) throw new Error(`it needs programs that are not here: ${lacking}`);
    const long = { bytes: uploadBytes, marks };
    const nginx = await proxyRound(options, { ...long, start: startNginx });
    options.say('nginx: all came through');
    const caddy = await proxyRound(options, { ...long, start: startCaddy });
    options.say('Caddy: all came through, by a certificate of Pebble');
    return { nginx_checks: nginx['checks'] ?? 0, caddy_checks: caddy['checks'] ?? 0 };
  },
};

export interface ProxyOrder {
  start(upstreamPort: number): Promise<RunningProxy>;
  /** Of the upload. */
  bytes: number;
  /** How often a follower of events hears that the connection lives, and nothing else. */
  marks: number;
}

/** All that must come through one proxy. */
export async function proxyRound({ say }: RoundOptions, order: ProxyOrder): Promise<Figures> {
  const line = await openTlsLine(viewerAddress);
  const service = await startBehind(line);
  const proxy = await order.start(Number(new URL(service.url).port));
  line.lead({ port: proxy.httpsPort, name: siteName, ca: proxy.ca });
  const site: Site = { service, proxy, line, host: `${siteName}:${proxy.httpsPort}` };
  try {
    const checks: Record<string, (site: Site) => Promise<void>> = {
      'a plain request is sent to HTTPS': sentToHttps,
      'HTTP/2 is spoken': http2Spoken,
      'a viewer on air, over a WebSocket, by their own address': viewerCounted,
      'a body comes as it is sent': bodyComesAtOnce,
      'an upload by tus becomes a video': (one) => uploaded(one, order.bytes),
      'events come one by one, and a silent follower is not cut': (one) =>
        eventsFollowed(one, order.marks),
    };
    for (const [name, check] of Object.entries(checks)) {
      say(name);
      await check(site).catch((error) => {
        throw new Error(`${name}: ${error.message}`, { cause: error });
      });
    }
    return { checks: Object.keys(checks).length };
  } finally {
    // First what is still open: Caddy waits for it.
    line.stop();
    await proxy.stop();
    await service.stop();
  }
}

type DirectService = Pick<ServiceProcess, 'url' | 'token' | 'call' | 'stop'>;

/** Its addresses are those of the line; what is not about the proxy is asked of it directly. */
async function startBehind(line: TlsLine): Promise<DirectService> {
  const service = await startProcess({
    DATA_DIR: temporaryFolder(),
    PUBLIC_URL: line.url,
    TRUSTED_PROXIES: '127.0.0.1',
  });
  await service.logged('"message":"started"');
  const port = /"port":(\d+)/.exec(service.log())?.[1];
  const { token, stop } = service;
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    token,
    stop,
    call: async (method, path, asked = {}) => {
      const connection = await HttpConnection.open(url);
      try {
        return await connection.request(method, path, { token, ...asked });
      } finally {
        connection.close();
      }
    },
  };
}

interface Site {
  service: DirectService;
  proxy: RunningProxy;
  line: TlsLine;
  host: string;
}

async function sentToHttps({ proxy }: Site): Promise<void> {
  const { status, headers } = await fetch(`http://127.0.0.1:${proxy.httpPort}/watch/1`, {
    redirect: 'manual',
    headers: { host: siteName },
  });
  const isSent = status === 308 && headers.get('location')?.startsWith(`https://${siteName}`);
  demand(isSent ? [] : [`it was answered ${status} ${headers.get('location')}`]);
}

async function http2Spoken({ proxy, host }: Site): Promise<void> {
  const session = connectHttp2(`https://127.0.0.1:${proxy.httpsPort}`, {
    ca: proxy.ca,
    servername: siteName,
  });
  try {
    const { status, body } = await http2Get(session, '/livez', { ':authority': host });
    demand(status === 200 && String(body) === 'ok\n' ? [] : [`/livez was answered ${status}`]);
  } finally {
    session.close();
  }
}

/** The page, its WebSocket, the playlist that waits for the next part; and whom the records name. */
async function viewerCounted({ service, line, host }: Site): Promise<void> {
  const channel = await newLiveChannel(service);
  const push = await startClipPush(channel.publishUrl);
  const way: Way = {
    port: line.port,
    from: '127.0.0.1',
    host,
    headers: `X-Forwarded-For: ${forged}\r\nForwarded: for=${forged}\r\n`,
  };
  const playlist = new URL(channel.playlistUrl).pathname;
  const read = async (query = '') => {
    const answer = await fetch(`${line.url}${playlist}${query}`, { headers: { host } });
    return answer.ok ? readMediaPlaylist(await answer.text()) : undefined;
  };
  await until(async () => (await read()) !== undefined, { withinMs, otherwise: 'never live' });
  const page = await RudePage.open(way);
  page.hello(await newTicket(way, channel.id));
  demand((await page.first('welcome')) ? [] : ['the page was not welcomed']);
  page.say({ type: 'chat', text: 'through the proxy' });
  demand((await page.first('chat')) ? [] : ['the page was told nothing']);
  const now = await read();
  const next = (now?.mediaSequence ?? 0) + (now?.segments.length ?? 0);
  const then = await read(`?_HLS_msn=${next}&_HLS_part=0`);
  const last = then?.segments.at(-1)?.sequence ?? 0;
  demand(last >= next ? [] : [`segment ${next} was waited for, and ${last} came`]);
  page.end();
  await push.end();
  const visitors = async () =>
    (await service.call('POST', `/v1/activities/${channel.id}/visitors`, { body: {} })).body;
  await until(async () => (await visitors()).length === 1, { withinMs, otherwise: 'no visitor' });
  const [{ last_ip }] = await visitors();
  demand(last_ip === viewerAddress ? [] : [`the viewer is ${last_ip}, not ${viewerAddress}`]);
}

/** Of a piece of which half has been sent, the service has some before the other half comes. */
async function bodyComesAtOnce({ service, line, host }: Site): Promise<void> {
  const half = 1_000_000;
  const { id } = await newLiveChannel(service);
  const headers = { ...beginHeaders({ channel_id: id }, 2 * half), host };
  const begun = await fetch(`${line.url}/manage/v1/uploads`, {
    method: 'POST',
    headers: { ...headers, authorization: `Bearer ${service.token}` },
  });
  demand(begun.status === 201 ? [] : [`the upload was answered ${begun.status}`]);
  const path = new URL(begun.headers.get('location') ?? '', line.url).pathname;
  const socket = connect(line.port, '127.0.0.1');
  socket.on('error', () => {});
  const said = {
    ...tusHeaders,
    host,
    authorization: `Bearer ${service.token}`,
    'content-type': 'application/offset+octet-stream',
    'content-length': String(2 * half),
    'upload-offset': '0',
  };
  const lines = Object.entries(said).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`PATCH ${path} HTTP/1.1\r\n${lines.join('')}\r\n`);
  socket.write(Buffer.alloc(half));
  const hasSome = async () => {
    const { headers } = await service.call('HEAD', path, { headers: tusHeaders });
    return Number(headers['upload-offset']) > 0;
  };
  await until(hasSome, { withinMs, otherwise: 'nothing of the body came before its end' });
  socket.destroy();
  await service.call('DELETE', path, { headers: tusHeaders });
}

async function uploaded({ service, line, host }: Site, bytes: number): Promise<void> {
  const { id } = await newLiveChannel(service);
  const path = await sendByTus({
    url: line.url,
    token: service.token,
    metadata: { channel_id: String(id), filename: 'film.mp4' },
    file: await filmOf(bytes),
    headers: { host },
  });
  const state = async () => (await service.call('GET', path)).body;
  await until(async () => /done|refused/.test((await state()).state), {
    withinMs,
    otherwise: 'the upload was never read',
  });
  const { state: end, problem } = await state();
  demand(end === 'done' ? [] : [`the upload is ${end}: ${JSON.stringify(problem)}`]);
}

/** Each event comes before the next happens, and a follower to whom nothing happens is not cut. */
async function eventsFollowed({ service, line, host }: Site, marks: number): Promise<void> {
  const { id } = await newLiveChannel(service);
  const follower = await EventFollower.open({
    url: line.url,
    headers: { host, authorization: `Bearer ${service.token}` },
    query: `channel=${id}`,
  });
  const told = async (name: string) => {
    await service.call('PUT', `/v1/activities/${id}`, { body: { name } });
    await follower.next(
      ({ event, data }) => event === 'channel.updated' && data.data.name === name,
    );
  };
  try {
    for (const name of ['first', 'second', 'third']) await told(name);
    const end = follower.comments + marks;
    while (follower.comments < end) {
      const { comments } = follower;
      await follower.until(() => follower.comments > comments);
    }
    await told('after a while');
    demand(follower.messages.length === 0 ? [] : ['an event came twice']);
  } finally {
    await follower.leave();
  }
}
