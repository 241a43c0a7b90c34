// An encoder that comes back as OBS does when it is cut, and says when it was let in again.
import { keepPushing } from '../../src/stream/rtmp/kept-push.ts';
import { publishTo } from '../../src/stream/rtmp/rtmp-client.ts';
import { testClip } from '../../test/support/clip-push.ts';

export interface ComingEncoder {
  /** Resolves when it is back after the next cut, once for each: the moments at which it was cut and let in again. */
  back(): Promise<Away>;
  /** How long it was let in, in all. */
  sentMs(): number;
  end(): Promise<void>;
}

export interface Away {
  cutAt: number;
  backAt: number;
}

export async function startEncoder(url: string, clip = testClip()): Promise<ComingEncoder> {
  const stop = new AbortController();
  const publisher = await publishTo(url);
  let sinceAt: number | undefined = Date.now();
  let sentMs = 0;
  let cutAt = 0;
  let next = Promise.withResolvers<Away>();
  const closed = () => {
    sentMs += sinceAt === undefined ? 0 : Date.now() - sinceAt;
    sinceAt = undefined;
  };
  const over = keepPushing(publisher, clip, {
    signal: stop.signal,
    connect: () => publishTo(url),
    onCut: () => {
      cutAt = Date.now();
      closed();
    },
    onBack: () => {
      sinceAt = Date.now();
      next.resolve({ cutAt, backAt: sinceAt });
    },
  });
  over.catch((error) => next.reject(error));
  return {
    back: async () => {
      const away = await next.promise;
      next = Promise.withResolvers();
      return away;
    },
    sentMs: () => sentMs,
    end: async () => {
      stop.abort();
      await over;
      closed();
    },
  };
}
