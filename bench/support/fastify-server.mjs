// The peer: Fastify on Node with the same rows in SQLite (better-sqlite3), written as its documentation advises.
import Database from 'better-sqlite3';
import Fastify, { LogController } from 'fastify';
import pino from 'pino';
import { channelRoutes } from './fastify-routes.mjs';

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

app.decorateRequest('holder', null);
app.get('/livez', async () => 'ok\n');
for (const route of channelRoutes(db, { rtmpUrl: RTMP_URL })) app.route(route);

await app.listen({ host: '127.0.0.1', port: Number(PORT) });
