// A show on air and a rude peer's own channels in a whole service: what attacks over RTMP are tried on.
import { expect } from 'bun:test';
import type { Attack, Target } from './attacks/attack.ts';
import { type ClipPush, startClipPush } from './clip-push.ts';
import { engines } from './engines.ts';
import { isLive, newLiveChannel, until } from './live-channel.ts';
import { movingClock, startTestService, type TestService } from './service.ts';

/** Of loopback, and no test's own: the rude ones come from here on. */
export const rudeAddress = '127.0.40.1';

export class RtmpStage {
  readonly service: TestService;
  readonly target: Target;
  private readonly push: ClipPush;
  private pushes = 1;

  constructor(service: TestService, given: { target: Target; push: ClipPush }) {
    this.service = service;
    this.target = given.target;
    this.push = given.push;
  }

  /** How often it was refused so, since the start. */
  async refusals(reason: string): Promise<number> {
    const { text } = await this.service.call('GET', '/metrics', { token: null });
    const name = `footlight_refusals_total{kind="rtmp",reason="${reason}"}`;
    const line = text.split('\n').find((one) => one.startsWith(name));
    return Number(line?.slice(name.length));
  }

  /** Runs the attack to its end; whatever `beside` does meanwhile must be possible. */
  async under(attack: Pick<Attack, 'run'>, beside: () => Promise<void>): Promise<void> {
    const stop = new AbortController();
    const over = attack.run(this.target, { from: rudeAddress, signal: stop.signal });
    try {
      await beside();
    } finally {
      stop.abort();
      await over;
    }
  }

  /** A show begins with a key of its own, goes live and ends. */
  async anotherShow(): Promise<void> {
    this.pushes += 1;
    const channel = await newLiveChannel(this.service, `show ${this.pushes}`);
    const push = await startClipPush(channel.publishUrl);
    await until(() => isLive(this.service, channel.id), {
      withinMs: 20_000,
      otherwise: 'the show beside it is not live',
    });
    await push.end();
    expect(await push.over).toBeUndefined();
  }

  /** The show that was on air before still is. */
  async end(): Promise<void> {
    expect(await isLive(this.service, this.target.show.id)).toBe(true);
    await this.push.end();
    expect(await this.push.over).toBeUndefined();
    await this.service.stop();
  }
}

export async function startRtmpStage(settings: Record<string, string> = {}): Promise<RtmpStage> {
  const [engine] = engines;
  if (!engine) throw new Error('no engine');
  const service = await startTestService(engine, {
    settings: { MIN_FREE_DISK: '10M', ...settings },
    clock: movingClock(),
  });
  const show = await newLiveChannel(service);
  const push = await startClipPush(show.publishUrl);
  await until(() => isLive(service, show.id), { withinMs: 20_000, otherwise: 'it is not live' });
  const account_id = await service.newAccount();
  const token = await service.newToken({ account_id });
  const target: Target = {
    port: Number(new URL(service.url).port),
    rtmpPort: service.rtmpPort,
    token,
    channels: [await rudeChannel(service, token), await rudeChannel(service, token)],
    show: { id: show.id, play_id: lastOf(show.rtmpPlayUrl) },
  };
  return new RtmpStage(service, { target, push });
}

async function rudeChannel(service: TestService, token: string): Promise<Target['channels'][0]> {
  const headers = { host: new URL(service.url).host };
  const body = { name: 'a rude one' };
  const reply = await service.call('POST', '/v1/activities', { token, headers, body });
  const { id, rtmp_publish_addr, rtmp_play_addr } = reply.body;
  return { id, stream_key: lastOf(rtmp_publish_addr), play_id: lastOf(rtmp_play_addr) };
}

function lastOf(url: string): string {
  return url.slice(url.lastIndexOf('/') + 1);
}
