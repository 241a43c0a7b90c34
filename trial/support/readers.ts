// A client that reads one thing after another while a fault lasts, and measures every answer.
import { HttpConnection } from '../../test/support/rude/http-connection.ts';

export interface Readers {
  /** Ends the reading; how many answers came and how long the slowest took. */
  stop(): Promise<{ reads: number; slowestMs: number; problems: string[] }>;
}

/** Reads each path in turn on a connection of its own; anything but 200 is a problem. */
export async function startReaders(given: {
  url: string;
  token: string;
  paths: readonly string[];
}): Promise<Readers> {
  const { url, token, paths } = given;
  const connections = await Promise.all(paths.map(() => HttpConnection.open(url)));
  const problems: string[] = [];
  let reads = 0;
  let slowestMs = 0;
  let stopped = false;
  const ended = Promise.all(
    connections.map(async (connection, at) => {
      const path = paths[at] ?? '';
      while (!stopped) {
        const startedAt = performance.now();
        const { status, text } = await connection.request('GET', path, { token });
        slowestMs = Math.max(slowestMs, performance.now() - startedAt);
        reads += 1;
        if (status !== 200) problems.push(`${path} was answered ${status}: ${text}`);
      }
    }),
  ).catch((error: unknown) => {
    problems.push(`a reader ended: ${error}`);
  });
  return {
    stop: async () => {
      stopped = true;
      await ended;
      for (const connection of connections) connection.close();
      return { reads, slowestMs, problems };
    },
  };
}
