// The recipes for nginx, Caddy and HAProxy, run: page, WebSocket, blocking reload, upload, events and the viewer's address come through.
import { connect as connectHttp2 } from 'node:http2';
import { connect } from 'node:net';
import { clipFile, startClipPush } from '../test/support/clip-push.ts';
import { temporaryFolder } from '../test/support/engines.ts';
import { EventFollower } from '../test/support/event-follower.ts';
import { http2Get } from '../test/support/http2-get.ts';
import { type LiveChannel, newLiveChannel, until } from '../test/support/live-channel.ts';
import { readMediaPlaylist } from '../test/support/media-playlist.ts';
import { HttpConnection } from '../test/support/rude/http-connection.ts';
import { newTicket, RudePage, type Way } from '../test/support/rude/rude-page.ts';
import { type ServiceProcess, startProcess } from '../test/support/service-process.ts';
import { demand, type Figures, type RoundOptions, type Trial } from '../test/support/trial.ts';
import { beginHeaders, filmOf, sendByTus, tusHeaders } from '../test/support/uploads.ts';
import { ran } from './support/installed-package.ts';
import {
  haproxyAddress,
  lackingProxies,
  type ProxiedNode,
  type RunningProxy,
  siteName,
  startCaddy,
  startHaproxy,
  startNginx,
} from './support/proxies.ts';
import { type StandIn, startStandIn } from './support/stand-in-node.ts';
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
    'nginx, Caddy and HAProxy in front, as packages/ has them: page, WebSocket, LL-HLS, 50 MB by tus, events, RTMP',
  rounds: 1,
  run: async (options) => {
    const lacking = lackingProxies(['nginx', 'caddy', 'pebble', 'haproxy', 'ffmpeg']);
    if (lacking !== undefined) throw new Error(`it needs programs that are not here: ${lacking}`);
    const long = { bytes: uploadBytes, marks };
    const nginx = await proxyRound(options, { ...long, start: startNginx });
    options.say('nginx: all came through');
    const caddy = await proxyRound(options, { ...long, start: startCaddy });
    options.say('Caddy: all came through, by a certificate of Pebble');
    const haproxy = await proxyRound(options, { ...long, ...haproxyOrder });
    options.say('HAProxy: all came through, RTMP too, and to the node that is ready alone');
    return {
      nginx_checks: nginx['checks'] ?? 0,
      caddy_checks: caddy['checks'] ?? 0,
      haproxy_checks: haproxy['checks'] ?? 0,
    };
  },
};

export interface ProxyOrder {
  /** The first of the nodes is the service; the others are not ready. */
  start(nodes: readonly ProxiedNode[]): Promise<RunningProxy>;
  /** What the service is told of it besides its address. */
  settings?: Record<string, string>;
  /** Of the upload. */
  bytes: number;
  /** How often a follower of events hears that the connection lives, and nothing else. */
  marks: number;
}

export const haproxyOrder: Pick<ProxyOrder, 'start' | 'settings'> = {
  start: startHaproxy,
  settings: { TRUSTED_PROXIES: haproxyAddress, RTMP_PROXY_PROTOCOL: 'true' },
};

/** All that must come through one proxy. */
export async function proxyRound({ say }: RoundOptions, order: ProxyOrder): Promise<Figures> {
  const line = await openTlsLine(viewerAddress);
  const service = await startBehind(line, order.settings);
  const standIns = [startStandIn(), startStandIn()];
  const proxy = await order.start([service, ...standIns]);
  line.lead({ port: proxy.httpsPort, name: siteName, ca: proxy.ca });
  const host = `${siteName}:${proxy.httpsPort}`;
  const site: Site = { service, standIns, proxy, line, host };
  try {
    const checks: Record<string, (site: Site) => Promise<void>> = {
      'a plain request is sent to HTTPS': sentToHttps,
      'HTTP/2 is spoken': http2Spoken,
      'a viewer on air, over a WebSocket, by their own address': viewerCounted,
      'a body comes as it is sent': bodyComesAtOnce,
      'an upload by tus becomes a video': (one) => uploaded(one, order.bytes),
      'events come one by one, and a silent follower is not cut': (one) =>
        eventsFollowed(one, order.marks),
      ...(proxy.rtmpPort === undefined ? {} : balancerChecks),
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
    for (const standIn of standIns) standIn.stop();
  }
}

/** Of who stands before several nodes, and before RTMP too. */
const balancerChecks: Record<string, (site: Site) => Promise<void>> = {
  'an encoder pushes by its own address': encoderKnown,
  'a node that is not ready is left out, and is asked when it is': readyNodesAsked,
};

type DirectService = Pick<ServiceProcess, 'url' | 'token' | 'call' | 'stop' | 'logged' | 'log'> &
  ProxiedNode;

/** Its addresses are those of the line; what is not about the proxy is asked of it directly. */
async function startBehind(
  line: TlsLine,
  settings: Record<string, string> = {},
): Promise<DirectService> {
  const service = await startProcess({
    DATA_DIR: temporaryFolder(),
    PUBLIC_URL: line.url,
    TRUSTED_PROXIES: '127.0.0.1',
    ...settings,
  });
  await service.logged('"message":"started"');
  const portOf = (name: string) => Number(new RegExp(`"${name}":(\\d+)`).exec(service.log())?.[1]);
  const { token, stop, logged, log } = service;
  const httpPort = portOf('port');
  const url = `http://127.0.0.1:${httpPort}`;
  return {
    ...{ url, httpPort, rtmpPort: portOf('rtmp_port') },
    ...{ token, stop, logged, log },
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
  /** Nodes that are not ready. */
  standIns: readonly StandIn[];
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
async function viewerCounted({ service, proxy, line, host }: Site): Promise<void> {
  const channel = await newLiveChannel(service);
  const push = await startClipPush(publishUrlOf(channel, proxy));
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

/** Through the proxy where it takes RTMP. */
function publishUrlOf({ publishUrl }: LiveChannel, { rtmpPort }: RunningProxy): string {
  return rtmpPort === undefined ? publishUrl : publishUrl.replace(/:\d+\//, `:${rtmpPort}/`);
}

/** By an encoder that is not ours; to the service it comes from the proxy's address, and is not known by that. */
async function encoderKnown({ service, standIns, proxy }: Site): Promise<void> {
  const channel = await newLiveChannel(service);
  const url = publishUrlOf(channel, proxy);
  const words = ['-re', '-i', clipFile, '-c', 'copy', '-t', '3', '-f', 'flv', url];
  await ran(['ffmpeg', '-v', 'error', '-nostdin', ...words]);
  const known = (address: string) => `"address":"${address}","purpose":"publishing"`;
  await service.logged(known('127.0.0.1'));
  demand([
    ...(service.log().includes(known(haproxyAddress)) ? ['the encoder is the proxy'] : []),
    ...(standIns.some((node) => node.rtmpConnects() > 0) ? ['RTMP came to who is not ready'] : []),
  ]);
}

/** Nobody asked those that are not ready for anything; who is at one when it says so stays there. */
async function readyNodesAsked({ standIns, line, host }: Site): Promise<void> {
  const asked = () => standIns.reduce((sum, node) => sum + node.requests(), 0);
  demand(asked() === 0 ? [] : [`${asked()} requests came to nodes that are not ready`]);
  const [first] = standIns;
  if (!first) throw new Error('there is no other node');
  const ask = async (path: string) => {
    const answer = await fetch(`${line.url}${path}`, { headers: { host } });
    const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
    const next = async () => (await reader?.read())?.value ?? '';
    return { isThere: (await next()) === first.answer, next };
  };
  const isAsked = async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => ask('/livez')));
    return answers.some(({ isThere }) => isThere);
  };
  first.setReady(true);
  await until(isAsked, { withinMs, otherwise: 'a node that became ready was never asked' });
  let stays = await ask('/open');
  const isOpen = async () => {
    if (!stays.isThere) stays = await ask('/open');
    return stays.isThere;
  };
  await until(isOpen, { withinMs, otherwise: 'nobody came to a node that is ready' });
  first.setReady(false);
  await until(async () => !(await isAsked()), {
    withinMs,
    otherwise: 'a node that is not ready any more is still asked',
  });
  first.say('drained');
  demand((await stays.next()) === 'drained' ? [] : ['who was at a node that drains was cut']);
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
