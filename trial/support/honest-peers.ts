// Those for whom the service is there: an encoder, viewers over HLS and RTMP, a page that chats, and a caller of the interface.
import { type BeatingViewer, newViewers } from '../../test/support/beating-viewers.ts';
import { type ClipPush, startClipPush } from '../../test/support/clip-push.ts';
import { type LiveChannel, newLiveChannel, until } from '../../test/support/live-channel.ts';
import { patience } from '../../test/support/machine-pace.ts';
import { HttpConnection } from '../../test/support/rude/http-connection.ts';
import type { ServiceProcess } from '../../test/support/service-process.ts';
import type { DatabaseSettings } from '../../test/support/snapshot.ts';
import { startHlsViewer, startRtmpViewer } from './steady-viewers.ts';

export interface HonestPeers {
  channel: LiveChannel;
  /** What they have seen since the last time they were asked. */
  seen(): HonestFigures;
  /** What was wrong for them, since the start. */
  problems(): string[];
  stop(): Promise<void>;
}

export interface HonestFigures {
  /** The longest that nothing came. */
  hlsGapMs: number;
  rtmpGapMs: number;
  /** From a line of chat to its being told to all. */
  chatWorstMs: number;
  /** Calls of the interface. */
  calls: number;
  callP99Ms: number;
  callWorstMs: number;
}

export async function startHonestPeers(
  service: ServiceProcess,
  settings: DatabaseSettings,
): Promise<HonestPeers> {
  const channel = await newLiveChannel(service, 'an honest show');
  const push = await startClipPush(channel.publishUrl);
  const hls = startHlsViewer(channel.playlistUrl);
  await until(() => hls.received > 0, { withinMs: 20_000, otherwise: 'the push is not live' });
  const rtmp = await startRtmpViewer(channel.rtmpPlayUrl);
  const [page] = await newViewers(settings, { channel_id: channel.id, count: 1 });
  if (!page) throw new Error('no page was made');
  await page.connect(service.url);
  const pushed = troubleOf(push);
  const talker = startTalker(page);
  const caller = startCaller(service, channel.id);
  return {
    channel,
    seen: () => {
      const figures = {
        hlsGapMs: Math.round(hls.worstGapMs),
        rtmpGapMs: Math.round(rtmp.worstGapMs),
        chatWorstMs: talker.times.worstMs(),
        calls: caller.times.count,
        callP99Ms: caller.times.p99Ms(),
        callWorstMs: caller.times.worstMs(),
      };
      for (const viewer of [hls, rtmp]) viewer.countAnew();
      for (const { times } of [talker, caller]) times.countAnew();
      return figures;
    },
    problems: () => [pushed, hls, rtmp, talker, caller].flatMap(({ problems }) => problems),
    stop: async () => {
      pushed.isOver = true;
      await Promise.all([talker.stop(), caller.stop(), hls.stop(), rtmp.stop()]);
      await page.leave();
      await push.end();
    },
  };
}

/** Whether it ended before it was to. */
function troubleOf(push: ClipPush): { problems: string[]; isOver: boolean } {
  const seen = { problems: [] as string[], isOver: false };
  push.over.then((reason) => {
    if (!seen.isOver) seen.problems.push(`the honest push ended: ${reason}`);
  });
  return seen;
}

/** Says something now and then, and waits until it is told. */
interface Asking {
  times: Times;
  problems: string[];
  stop(): Promise<void>;
}

const sayEveryMs = 2_500;
/** A line is told to all within a quarter of a second; who waits so long was not heard. */
const heardWithinMs = patience(15_000);

function startTalker(page: BeatingViewer): Asking {
  let number = 0;
  return asking(sayEveryMs, async () => {
    page.beat();
    const text = `honest line ${number++}`;
    if (!(await page.say(text, heardWithinMs))) throw new Error(`"${text}" was never told`);
  });
}

const callEveryMs = 40;
/** One in so many comes on a connection of its own, as from a script. */
const freshEvery = 8;

function startCaller(service: ServiceProcess, channel_id: number): Asking {
  let kept: HttpConnection | undefined;
  let number = 0;
  const opened = () =>
    HttpConnection.open(service.url).catch((error: Error) => {
      throw new Error(`no connection to ${service.url}: ${error.message}`);
    });
  const paths = [`/v1/activities/${channel_id}`, '/v1/activities', `/watch/${channel_id}`];
  return asking(callEveryMs, async () => {
    const path = paths[number % paths.length] ?? '/livez';
    const isFresh = number++ % freshEvery === 0;
    if (!isFresh && (!kept || kept.isClosed)) kept = await opened();
    const connection = (!isFresh && kept) || (await opened());
    try {
      const { token } = service;
      const { status } = await connection.request('GET', path, { token });
      if (status !== 200) throw new Error(`${path} was answered ${status}`);
    } finally {
      if (isFresh) connection.close();
    }
  });
}

/** Asks again and again, each time timed from when it was due to its answer: who is held up is late with the next ones too. */
function asking(everyMs: number, ask: () => Promise<void>): Asking {
  const times = new Times();
  const problems: string[] = [];
  let isStopped = false;
  const ended = (async () => {
    for (let dueAt = performance.now(); !isStopped; dueAt += everyMs) {
      // At least a turn, so that it can be stopped.
      await Bun.sleep(Math.max(1, dueAt - performance.now()));
      try {
        times.begin(dueAt);
        await ask();
        times.add(performance.now() - dueAt);
      } catch (error) {
        if (!isStopped) problems.push(String((error as Error).message));
      }
    }
  })();
  return {
    times,
    problems,
    stop: async () => {
      isStopped = true;
      await ended;
    },
  };
}

/** How long things took since it was last begun anew. */
class Times {
  private tookMs: number[] = [];
  /** Of what is waited for now. */
  private begunAt: number | undefined;

  get count(): number {
    return this.tookMs.length;
  }

  begin(at: number): void {
    this.begunAt = at;
  }

  add(ms: number): void {
    this.begunAt = undefined;
    this.tookMs.push(ms);
  }

  p99Ms(): number {
    const sorted = this.tookMs.toSorted((a, b) => a - b);
    return Math.round(sorted[Math.ceil(sorted.length * 0.99) - 1] ?? 0);
  }

  worstMs(): number {
    const waitedMs = this.begunAt === undefined ? 0 : performance.now() - this.begunAt;
    return Math.round(Math.max(waitedMs, ...this.tookMs));
  }

  countAnew(): void {
    this.tookMs = [];
  }
}
