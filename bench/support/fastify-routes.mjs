// What the peer answers, without Fastify itself, so that answers can be compared where it is not installed.
// It does what an answer needs: token looked up by its hash on each request, checks by schema, the same JSON,
// create in one transaction that survives a power cut. It leaves out ETag, request ids, metrics and
// idempotency keys, which Footlight has: the comparison errs in the peer's favour.
import { createHash, randomBytes } from 'node:crypto';

/** Fastify's route options, over a database that speaks better-sqlite3. */
export function channelRoutes(db, { rtmpUrl }) {
  const needs = tokenCheck(db);
  const channels = channelStore(db);
  const { channelView, listedView } = channelViews(rtmpUrl);
  return [
    {
      method: 'GET',
      url: '/v1/activities/:id',
      onRequest: needs('channels:read'),
      schema: { params: singleParams, response: { 200: channelAnswer } },
      handler: async (request, reply) => {
        const { account_id, manager_id } = request.holder;
        const row = channels.find(request.params.id, account_id);
        if (!row || (manager_id !== 0 && row.manager_id !== manager_id))
          return reply.code(404).send({ message: 'no such channel' });
        return channelView(row, request);
      },
    },
    {
      method: 'GET',
      url: '/v1/activities',
      onRequest: needs('channels:read'),
      schema: { querystring: listQuery, response: { 200: listAnswer } },
      handler: async (request) => {
        const { p } = request.query;
        const { account_id } = request.holder;
        const total = channels.total(account_id);
        const rows = channels.list(account_id, perPage, (p - 1) * perPage);
        const pages = Math.max(1, Math.ceil(total / perPage));
        const pageUrl = (n) => `http://${request.headers.host}/v1/activities?p=${n}`;
        return {
          activities: rows.map((row) => listedView(row, request)),
          meta: { total, page: pages, current: p },
          links: { next_url: p < pages ? pageUrl(p + 1) : null, end_url: pageUrl(pages) },
        };
      },
    },
    {
      method: 'POST',
      url: '/v1/activities',
      onRequest: needs('channels:write'),
      schema: { body: createBody, response: { 200: channelAnswer } },
      handler: async (request) => {
        const { name, start_time } = request.body;
        const { account_id, manager_id } = request.holder;
        const page = start_time
          ? { start_time: Date.parse(`${start_time.replace(' ', 'T')}Z`) }
          : {};
        return channelView(channels.create({ account_id, manager_id, name, page }), request);
      },
    },
  ];
}

const perPage = 30;

function tokenCheck(db) {
  const findHolder = db.prepare(
    `SELECT t.account_id, t.manager_id, t.scopes, t.expires_at, t.revoked_at, a.plan
     FROM tokens t JOIN accounts a ON a.id = t.account_id WHERE t.hash = ?`,
  );
  return (scope) => async (request, reply) => {
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

function channelStore(db) {
  const select = `SELECT c.id, c.account_id, c.manager_id, m.username AS manager_username, c.name,
    c.page, c.stream_key, c.play_id, c.live, c.last_push_stream_at, c.created_at
    FROM channels c LEFT JOIN managers m ON m.id = c.manager_id`;
  const findOne = db.prepare(`${select} WHERE c.id = ? AND c.account_id = ?`);
  const findPage = db.prepare(
    `${select} WHERE c.account_id = ? ORDER BY c.id DESC LIMIT ? OFFSET ?`,
  );
  const findTotal = db.prepare(
    `SELECT total FROM totals WHERE account_id = ? AND kind = 'channels' AND part = 'account' AND part_id = 0`,
  );
  const add = db.prepare(
    `INSERT INTO channels (account_id, manager_id, name, page, stream_key, play_id, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
  );
  const addToTotal = db.prepare(
    `INSERT INTO totals (account_id, kind, part, part_id, total) VALUES (?, 'channels', ?, ?, 1)
     ON CONFLICT (account_id, kind, part, part_id) DO UPDATE SET total = totals.total + 1`,
  );
  const secret = (bytes) => randomBytes(bytes).toString('base64url');
  return {
    find: (id, account_id) => findOne.get(id, account_id),
    list: (account_id, limit, offset) => findPage.all(account_id, limit, offset),
    total: (account_id) => findTotal.get(account_id)?.total ?? 0,
    create: db.transaction(({ account_id, manager_id, name, page }) => {
      const made = add.run(
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
      return findOne.get(made.lastInsertRowid, account_id);
    }),
  };
}

function channelViews(rtmpUrl) {
  const channelView = (row, request) => {
    const base = `http://${request.headers.host}`;
    const channel = {
      id: row.id,
      name: row.name,
      create_at: dateTime(row.created_at),
      live_status: row.live,
      watch_url: { pc: `${base}/watch/${row.id}`, mobile: `${base}/m/${row.id}` },
      embed_url: `${base}/embed/${row.id}`,
      page: pageView(row.page),
      rtmp_publish_addr: `${rtmpUrl}/live/${row.stream_key}`,
    };
    if (request.holder.plan === 'traffic') {
      channel.hls_play_addr = `${base}/hls/${row.play_id}/live.m3u8`;
      channel.rtmp_play_addr = `${rtmpUrl}/play/${row.play_id}`;
    }
    return channel;
  };
  const listedView = (row, request) => ({
    ...channelView(row, request),
    manager: row.manager_id,
    manager_username: row.manager_username ?? '',
    last_push_stream_at: row.last_push_stream_at === null ? '' : dateTime(row.last_push_stream_at),
  });
  return { channelView, listedView };
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

function dateTime(at) {
  const iso = new Date(at).toISOString();
  return `${iso.slice(0, 10)} ${iso.slice(11, 19)}`;
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
const singleParams = { type: 'object', properties: { id: { type: 'integer', minimum: 1 } } };
const listQuery = {
  type: 'object',
  properties: { p: { type: 'integer', minimum: 1, default: 1 } },
};
const createBody = {
  type: 'object',
  required: ['name'],
  properties: {
    name: { type: 'string', minLength: 1, maxLength: 255 },
    start_time: { type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2} \\d{2}:\\d{2}:\\d{2}$' },
  },
};
