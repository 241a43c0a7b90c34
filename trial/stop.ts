// Fault 15, for the interface: SIGTERM under load; no request that was sent before it stays unanswered.
import { temporaryFolder } from '../test/support/engines.ts';
import { late } from '../test/support/machine-pace.ts';
import { seeded } from '../test/support/random.ts';
import { HttpConnection, NoAnswer } from '../test/support/rude/http-connection.ts';
import { type ServiceProcess, startProcess } from '../test/support/service-process.ts';
import {
  demand,
  type Figures,
  type RoundOptions,
  round,
  type Trial,
} from '../test/support/trial.ts';

const clients = 10;
const idleConnections = 5;
const exitWithinMs = 10_000;
/** The longest that the load lasts before the signal. */
const signalWithinMs = 200;

export const trial: Trial = {
  sentence: 'SIGTERM under load: every request sent before it is answered, exit code 0 within 10 s',
  rounds: 30,
  run: stopRounds,
};

export async function stopRounds({ rounds, seed, say }: RoundOptions): Promise<Figures> {
  const figures = { rounds: 0, answered: 0, sent_after_unanswered: 0, slowest_exit_ms: 0 };
  for (let at = 0; at < rounds; at++) {
    const service = await startProcess({ DATA_DIR: temporaryFolder(), LOG_LEVEL: 'silent' });
    try {
      await round('stop', seed + at, async () => {
        const moment = seeded(seed + at).next() * signalWithinMs;
        const { answered, unanswered, exitMs } = await stopUnderLoad(service, moment);
        figures.answered += answered;
        figures.sent_after_unanswered += unanswered.after;
        figures.slowest_exit_ms = Math.max(figures.slowest_exit_ms, Math.round(exitMs));
        if (unanswered.before > 0)
          demand([`${unanswered.before} requests from before the signal were not answered`]);
      });
      figures.rounds += 1;
      if ((at + 1) % 10 === 0) say(`${at + 1} rounds`);
    } finally {
      await service.kill();
    }
  }
  return figures;
}

async function stopUnderLoad(service: ServiceProcess, momentMs: number) {
  const unanswered = { before: 0, after: 0 };
  let answered = 0;
  let signalledAt = Number.POSITIVE_INFINITY;
  const idle = await Promise.all(
    Array.from({ length: idleConnections }, () => HttpConnection.open(service.url)),
  );
  for (const connection of idle) await connection.request('GET', '/livez');
  const load = Promise.all(
    Array.from({ length: clients }, async (_, at) => {
      for (;;) {
        // Once nobody listens any more the client's work is done.
        const connection = await HttpConnection.open(service.url).catch(() => undefined);
        if (!connection) return;
        const seen = await useUp(connection, service.token, at % 2 === 0);
        answered += seen.answered;
        if (seen.lostSentAt === undefined) continue;
        unanswered[seen.lostSentAt < signalledAt ? 'before' : 'after'] += 1;
      }
    }),
  );
  // The moment is the point here: no event is waited for.
  await Bun.sleep(momentMs);
  signalledAt = performance.now();
  const exitCode = await service.stop();
  const exitMs = performance.now() - signalledAt;
  await load;
  for (const connection of idle) connection.close();
  if (exitCode !== 0) throw new Error(`the exit code is ${exitCode}`);
  demand(late('the exit', exitMs, exitWithinMs));
  return { answered, unanswered, exitMs };
}

/** Asks one thing after another until the server ends the connection, or says that it will. */
async function useUp(
  connection: HttpConnection,
  token: string,
  isWriter: boolean,
): Promise<{ answered: number; lostSentAt: number | undefined }> {
  let answered = 0;
  for (;;) {
    const sentAt = performance.now();
    const asked = isWriter
      ? connection.request('POST', '/v1/activities', { token, body: { name: 'one' } })
      : connection.request('GET', '/v1/activities', { token });
    try {
      const { status, headers, text } = await asked;
      if (status !== 200) throw new Error(`an answer under load: ${status} ${text}`);
      answered += 1;
      if (headers['connection'] !== 'close') continue;
      connection.close();
      return { answered, lostSentAt: undefined };
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error;
      return { answered, lostSentAt: sentAt };
    }
  }
}
