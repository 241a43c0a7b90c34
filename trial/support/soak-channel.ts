// One channel of the soak: a push that ends, breaks and returns as dice say, and players who come and go.
import { playFrom, type RtmpPlayback } from '../../src/stream/rtmp/rtmp-client.ts';
import { type LiveChannel, untilLetIn } from '../../test/support/live-channel.ts';
import { type PlaylistPlayer, startPlaylistPlayer } from '../../test/support/playlist-player.ts';
import type { Random } from '../../test/support/random.ts';
import { type FastPush, startFastPush } from './fast-push.ts';

const speed = 6;
/** What a broken push does at the end of a while. */
const fates = ['goes on', 'ends', 'returns'] as const;
/** How long it does the same. */
const whileMs = { min: 2_000, max: 9_000 };
const playersMax = 3;
/** Within the reconnect window of the soak. */
const returnWithinMs = 1_000;
/** Until the service has heard that the push before has ended. */
const letInWithinMs = 1_000;
/** Of media, for each round of some twenty seconds: a slow machine takes longer for it. */
const roundPushedMs = 60_000;

export class SoakChannel {
  private readonly channel: LiveChannel;
  private readonly kind: 'unbroken' | 'broken';

  private push: FastPush | undefined;
  /** Media of pushes that are over. */
  private overMs = 0;
  readonly problems: string[] = [];
  longestPushMs = 0;
  pushes = 0;
  returns = 0;
  players = 0;

  constructor(channel: LiveChannel, kind: 'unbroken' | 'broken') {
    this.channel = channel;
    this.kind = kind;
  }

  get pushedMs(): number {
    return this.overMs + (this.push?.sentMs() ?? 0);
  }

  async start(): Promise<void> {
    this.push = await this.publish(letInWithinMs);
    this.pushes += 1;
    const first = startPlaylistPlayer(this.channel.playlistUrl);
    await Promise.race([first.seen(({ shownMs }) => shownMs > 0), this.push.over]);
    await this.leave(first);
    this.lookForTrouble();
  }

  async stop(): Promise<void> {
    await this.over((push) => push.end());
  }

  /** Without a wait, where the trial ends early. */
  abandon(): void {
    this.push?.cut();
  }

  /** Ends at that time; later where too little was pushed by then, sooner where something went wrong. */
  async round(random: Random, endsAt: number): Promise<void> {
    const enoughMs = this.pushedMs + roundPushedMs;
    const isOver = () => performance.now() >= endsAt && this.pushedMs >= enoughMs;
    while (!isOver() && this.problems.length === 0) {
      const players = await this.join(random);
      const stayMs = random.whole(whileMs.min, whileMs.max);
      // How long they stay is the point here: no event is waited for.
      await Bun.sleep(Math.min(stayMs, Math.max(whileMs.min, endsAt - performance.now())));
      for (const leave of players) await leave();
      if (this.kind === 'broken') await this.suffer(random);
      this.lookForTrouble();
    }
  }

  private async suffer(random: Random): Promise<void> {
    const fate = random.pick(fates);
    if (fate === 'goes on') return;
    if (fate === 'ends') {
      await this.over((push) => push.end());
      await this.start();
      return;
    }
    await this.over((push) => push.cut());
    await Bun.sleep(random.next() * returnWithinMs);
    this.returns += 1;
    this.push = await this.publish(returnWithinMs);
  }

  private async publish(withinMs: number): Promise<FastPush> {
    const publish = () => startFastPush(this.channel.publishUrl, speed);
    return (await untilLetIn(publish, { withinMs })).push;
  }

  private lookForTrouble(): void {
    const { trouble } = this.push ?? {};
    if (trouble !== undefined) this.problems.push(`a push ended: ${trouble}`);
  }

  private async over(how: (push: FastPush) => Promise<void>): Promise<void> {
    const { push } = this;
    if (!push) return;
    await how(push);
    this.push = undefined;
    this.overMs += push.sentMs();
    this.longestPushMs = Math.max(this.longestPushMs, push.sentMs());
  }

  /** How to make each of them leave. */
  private async join(random: Random): Promise<(() => Promise<void>)[]> {
    const { playlistUrl, rtmpPlayUrl } = this.channel;
    const viewers = Array.from({ length: random.whole(0, playersMax) }, () =>
      startPlaylistPlayer(playlistUrl),
    );
    const playing = Array.from({ length: random.whole(0, playersMax) }, () =>
      playFrom(rtmpPlayUrl, { media: () => {} }),
    );
    const rtmp = await Promise.all(playing);
    this.players += viewers.length + rtmp.length;
    return [
      ...viewers.map((viewer) => () => this.leave(viewer)),
      ...rtmp.map((player) => () => leaveRtmp(player)),
    ];
  }

  private async leave(player: PlaylistPlayer): Promise<void> {
    await player.stop();
    const found = player.problems();
    if (found.length === 0) return;
    const { loads, pushes, last } = player.checker;
    const seen = `${loads} loads, ${pushes} pushes, the last list from ${last?.mediaSequence}`;
    const mine = `channel ${this.channel.id}, push ${this.pushes}, return ${this.returns}`;
    this.problems.push(`${mine}: ${found.join(', ')} (${seen})`);
  }
}

async function leaveRtmp(player: RtmpPlayback): Promise<void> {
  player.close();
  await player.closed;
}
