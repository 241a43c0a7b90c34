// Waiting for what a service says of its own readiness.

import { patience } from '../../test/support/machine-pace.ts';
import { HttpConnection } from '../../test/support/rude/http-connection.ts';

/** How long it took until /readyz answered so; throws where that takes longer than `withinMs`. */
export async function untilReady(
  url: string,
  { ready, withinMs }: { ready: boolean; withinMs: number },
): Promise<number> {
  const startedAt = performance.now();
  const connection = await HttpConnection.open(url);
  try {
    for (;;) {
      const { status, text } = await connection.request('GET', '/readyz');
      const tookMs = performance.now() - startedAt;
      if ((status === 200) === ready) return tookMs;
      if (tookMs > patience(withinMs))
        throw new Error(`after ${Math.round(tookMs)} ms /readyz is still ${status}: ${text}`);
      // Readiness is asked for, not announced: there is no event to wait for.
      await Bun.sleep(20);
    }
  } finally {
    connection.close();
  }
}
