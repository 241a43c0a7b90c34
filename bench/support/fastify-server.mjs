// The peer: Fastify on Node with the same rows in SQLite (better-sqlite3), written as its documentation advises.
// It does what an answer needs: token looked up by its hash on each request, checks by schema, the same JSON,
// create in one transaction that survives a power cut. It leaves out ETag, request ids, metrics and
// idempotency keys, which Footlight has: the comparison errs in the peer's favour.
import { createHash, randomBytes } from 'node:crypto';
import Database from 'better-sqlite3';
import Fastify, { LogController } from 'fastify';
import pino from 'pino';

const { PORT, DB_FILE, LOG_FILE, RTMP_URL } = process.env;

const db = new Database(DB_FILE);
db.pragma('journal_mode = WAL');
db.pragma('synchronous = FULL');
db.pragma('foreign_keys = ON');

const app = Fastify(
  LOG_FILE
    ? {
        // One line a request, as Footlight logs, written in batches.
        loggerInstance: pino(pino.destination({ dest: LOG_FILE, sync: false, minLength: 8_192 })),
        logController: new LogController({ disableRequestLogging: true }),
      }
    : { logger: false },
);

if (LOG_FILE) {
  app.addHook('onResponse', async (request, reply) => {
    request.log.info(
      {
        method: request.method,
        path: request.url.split('?', 1)[0],
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 100) / 100,
      },
      'request',
    );
  });
}

const findHolder = db.prepare(
  `SELECT t.account_id, t.manager_id, t.scopes, t.expires_at, t.revoked_at, a.plan
   FROM tokens t JOIN accounts a ON a.id = t.account_id WHERE t.hash = ?`,
);

app.decorateRequest('holder', null);

function needs(scope) {
  return async (request, reply) => {
    const token = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
    const holder = token && findHolder.get(createHash('sha256').update(token).digest('base64url'));
    const isValid =
      holder &&
      holder.revoked_at === null &&
      (holder.expires_at === null || holder.expires_at > Date.now());
    if (!isValid) return reply.code(401).send({ message: 'unauthorized' });
    if (!holder.scopes.split(' ').includes(scope))
      return reply.code(403).send({ message: 'forbidden' });
    request.holder = holder;
  };
}

const string = { type: 'string' };
const integer = { type: 'integer' };
const pageNames = [
  'start_time',
  'logo',
  'pc_logo',
  'mobile_logo',
  'banner',
  'cover_image',
  'live_img',
  'footer',
];
const channelProperties = {
  id: integer,
  name: string,
  create_at: string,
  live_status: integer,
  watch_url: { type: 'object', properties: { pc: string, mobile: string } },
  embed_url: string,
  page: {
    type: 'object',
    properties: Object.fromEntries(pageNames.map((name) => [name, string])),
  },
  rtmp_publish_addr: string,
  hls_play_addr: string,
  rtmp_play_addr: string,
};
const channelAnswer = { type: 'object', properties: channelProperties };
const listAnswer = {
  type: 'object',
  properties: {
    activities: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          ...channelProperties,
          manager: integer,
          manager_username: string,
          last_push_stream_at: string,
        },
      },
    },
    meta: { type: 'object', properties: { total: integer, page: integer, current: integer } },
    links: {
      type: 'object',
      properties: { next_url: { type: 'string', nullable: true }, end_url: string },
    },
  },
};

function dateTime(at) {
  const iso = new Date(at).toISOString();
  return `${iso.slice(0, 10)} ${iso.slice(11, 19)}`;
}

function pageView(stored) {
  const page = JSON.parse(stored);
  return {
    start_time: page.start_time == null ? '' : dateTime(page.start_time),
    logo: page.pc_logo ?? '',
    pc_logo: page.pc_logo ?? '',
    mobile_logo: page.mobile_logo ?? '',
    banner: page.banner ?? '',
    cover_image: page.cover_image ?? '',
    live_img: page.live_img ?? '',
    footer: page.footer ?? '',
  };
}

function channelView(row, request) {
  const base = `http://${request.headers.host}`;
  const channel = {
    id: row.id,
    name: row.name,
    create_at: dateTime(row.created_at),
    live_status: row.live,
    watch_url: { pc: `${base}/watch/${row.id}`, mobile: `${base}/m/${row.id}` },
    embed_url: `${base}/embed/${row.id}`,
    page: pageView(row.page),
    rtmp_publish_addr: `${RTMP_URL}/live/${row.stream_key}`,
  };
  if (request.holder.plan === 'traffic') {
    channel.hls_play_addr = `${base}/hls/${row.play_id}/live.m3u8`;
    channel.rtmp_play_addr = `${RTMP_URL}/play/${row.play_id}`;
  }
  return channel;
}

function listedView(row, request) {
  return {
    ...channelView(row, request),
    manager: row.manager_id,
    manager_username: row.manager_username ?? '',
    last_push_stream_at: row.last_push_stream_at === null ? '' : dateTime(row.last_push_stream_at),
  };
}

const selectChannels = `SELECT c.id, c.account_id, c.manager_id, m.username AS manager_username, c.name,
  c.page, c.stream_key, c.play_id, c.live, c.last_push_stream_at, c.created_at
  FROM channels c LEFT JOIN managers m ON m.id = c.manager_id`;
const findChannel = db.prepare(`${selectChannels} WHERE c.id = ? AND c.account_id = ?`);
const listChannels = db.prepare(
  `${selectChannels} WHERE c.account_id = ? ORDER BY c.id DESC LIMIT ? OFFSET ?`,
);
const findTotal = db
  .prepare(
    `SELECT total FROM totals WHERE account_id = ? AND kind = 'channels' AND part = 'account' AND part_id = 0`,
  )
  .pluck();

app.get('/livez', async () => 'ok\n');

app.get(
  '/v1/activities/:id',
  {
    onRequest: needs('channels:read'),
    schema: {
      params: { type: 'object', properties: { id: { type: 'integer', minimum: 1 } } },
      response: { 200: channelAnswer },
    },
  },
  async (request, reply) => {
    const { account_id, manager_id } = request.holder;
    const row = findChannel.get(request.params.id, account_id);
    if (!row || (manager_id !== 0 && row.manager_id !== manager_id))
      return reply.code(404).send({ message: 'no such channel' });
    return channelView(row, request);
  },
);

const perPage = 30;

app.get(
  '/v1/activities',
  {
    onRequest: needs('channels:read'),
    schema: {
      querystring: {
        type: 'object',
        properties: { p: { type: 'integer', minimum: 1, default: 1 } },
      },
      response: { 200: listAnswer },
    },
  },
  async (request) => {
    const { p } = request.query;
    const { account_id } = request.holder;
    const total = findTotal.get(account_id) ?? 0;
    const rows = listChannels.all(account_id, perPage, (p - 1) * perPage);
    const pages = Math.max(1, Math.ceil(total / perPage));
    const pageUrl = (n) => `http://${request.headers.host}/v1/activities?p=${n}`;
    return {
      activities: rows.map((row) => listedView(row, request)),
      meta: { total, page: pages, current: p },
      links: { next_url: p < pages ? pageUrl(p + 1) : null, end_url: pageUrl(pages) },
    };
  },
);

const addChannel = db.prepare(
  `INSERT INTO channels (account_id, manager_id, name, page, stream_key, play_id, created_at)
   VALUES (?, ?, ?, ?, ?, ?, ?)`,
);
const addToTotal = db.prepare(
  `INSERT INTO totals (account_id, kind, part, part_id, total) VALUES (?, 'channels', ?, ?, 1)
   ON CONFLICT (account_id, kind, part, part_id) DO UPDATE SET total = totals.total + 1`,
);
const createChannel = db.transaction(({ account_id, manager_id, name, page }) => {
  const secret = (bytes) => randomBytes(bytes).toString('base64url');
  const made = addChannel.run(
    account_id,
    manager_id,
    name,
    JSON.stringify(page),
    secret(20),
    secret(16),
    Date.now(),
  );
  addToTotal.run(account_id, 'account', 0);
  addToTotal.run(account_id, 'manager', manager_id);
  return findChannel.get(made.lastInsertRowid, account_id);
});

app.post(
  '/v1/activities',
  {
    onRequest: needs('channels:write'),
    schema: {
      body: {
        type: 'object',
        required: ['name'],
        properties: {
          name: { type: 'string', minLength: 1, maxLength: 255 },
          start_time: { type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2} \\d{2}:\\d{2}:\\d{2}$' },
        },
      },
      response: { 200: channelAnswer },
    },
  },
  async (request) => {
    const { name, start_time } = request.body;
    const { account_id, manager_id } = request.holder;
    const page = start_time ? { start_time: Date.parse(`${start_time.replace(' ', 'T')}Z`) } : {};
    return channelView(createChannel({ account_id, manager_id, name, page }), request);
  },
);

await app.listen({ host: '127.0.0.1', port: Number(PORT) });
