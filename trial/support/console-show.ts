// A channel on air with pages that watch: its push is cut and comes back, ends and begins anew, until the service is gone.
import { BeatingViewer, startBeats, ticketSecret } from '../../test/support/beating-viewers.ts';
import { type ClipPush, startClipPush, testClip } from '../../test/support/clip-push.ts';
import { isLive, type LiveChannel, until, untilLetIn } from '../../test/support/live-channel.ts';
import type { Random } from '../../test/support/random.ts';
import type { ServiceProcess } from '../../test/support/service-process.ts';
import { asking, type DatabaseSettings } from '../../test/support/snapshot.ts';
import type { ConsoleBook } from './console-book.ts';

const beatMs = 300;
/** Between two changes of the push or of a page. */
const changeMs = [150, 900] as const;
const liveWithinMs = 10_000;
/** Of the show that is on, up to now. */
const clipSeconds = 5;

/** The show of one round; pages go on with their sessions in the next. */
export class ConsoleShow {
  readonly channel: LiveChannel;
  readonly viewers: readonly BeatingViewer[];
  private readonly book: ConsoleBook;
  private readonly random: () => Random;

  /** By session, what it had when it was last looked at. */
  private readonly watched = new Map<number, number>();
  private clipsAsked = 0;
  private push: ClipPush | undefined;
  private readonly away = new Set<BeatingViewer>();
  readonly counts = { pushes: 0, cuts: 0, clips: 0, reports: 0 };

  static async of(
    settings: DatabaseSettings,
    given: { book: ConsoleBook; channel: LiveChannel; pages: number; random: () => Random },
  ): Promise<ConsoleShow> {
    const secret = await ticketSecret(settings);
    const channel_id = given.channel.id;
    const viewers = Array.from(
      { length: given.pages },
      // Two pages of each viewer but the last.
      (_, n) => new BeatingViewer(secret, { channel_id, viewer_id: `viewer ${Math.floor(n / 2)}` }),
    );
    return new ConsoleShow({ ...given, viewers });
  }

  private constructor(given: {
    book: ConsoleBook;
    channel: LiveChannel;
    viewers: readonly BeatingViewer[];
    random: () => Random;
  }) {
    this.book = given.book;
    this.channel = given.channel;
    this.viewers = given.viewers;
    this.random = given.random;
  }

  get isOn(): boolean {
    return this.push !== undefined;
  }

  /** Sessions that have less than they had, and viewers who have more than their pages have played. */
  async problems(settings: DatabaseSettings): Promise<string[]> {
    const rows = await asking(settings, (ask) =>
      ask(`SELECT seq, viewer_id, watch_ms FROM sessions WHERE channel_id = ${this.channel.id}`),
    );
    const problems: string[] = [];
    for (const { seq, viewer_id, watch_ms } of rows) {
      const had = this.watched.get(Number(seq)) ?? 0;
      if (Number(watch_ms) < had) problems.push(`${viewer_id} has ${watch_ms} ms and had ${had}`);
      this.watched.set(Number(seq), Number(watch_ms));
    }
    if (rows.length < this.watched.size) problems.push('a session is lost');
    for (const [viewer_id, pages] of Map.groupBy(this.viewers, (one) => one.viewer_id)) {
      const playedMs = pages.reduce((sum, page) => sum + page.playedMs, 0);
      const own = rows.filter((row) => row['viewer_id'] === viewer_id);
      const ms = own.reduce((sum, row) => sum + Number(row['watch_ms']), 0);
      if (ms > playedMs) problems.push(`${viewer_id} has ${ms} ms and played ${playedMs}`);
    }
    return problems;
  }

  /** Everybody is there and watches. */
  async begin(service: ServiceProcess): Promise<void> {
    await this.goLive(service);
    this.away.clear();
    for (const viewer of this.viewers) await viewer.connect(service.url);
  }

  /** Resolves when the service is gone, and with it the push and the pages. */
  async run(service: ServiceProcess, onAnswered: () => void): Promise<void> {
    const stopBeats = startBeats(this.viewers, beatMs);
    const gone = service.exited.then(() => 'gone' as const);
    try {
      for (;;) {
        const random = this.random();
        const [least, most] = changeMs;
        const woken = await Promise.race([Bun.sleep(random.whole(least, most)), gone]);
        if (woken === 'gone') return;
        await this.change(service);
        onAnswered();
      }
    } catch (error) {
      // What fails because nobody is there any more is what was wanted.
      if (service.isAlive() && !(await wasKilled(service))) throw error;
    } finally {
      stopBeats();
      this.push?.publisher.cut();
      await this.push?.over;
      this.push = undefined;
    }
  }

  /** In good order: nobody watches, nothing is pushed. */
  async end(): Promise<void> {
    await this.push?.end();
    this.push = undefined;
    for (const viewer of this.viewers) await viewer.leave();
  }

  private async change(service: ServiceProcess): Promise<void> {
    const random = this.random();
    const action = random.whole(1, 7);
    if (action === 1) {
      // Within the reconnect window: the same show.
      this.push?.publisher.cut();
      await this.push?.over;
      this.counts.cuts += 1;
      await this.goLive(service);
    } else if (action === 2) {
      await this.push?.end();
      await this.goLive(service);
    } else if (action === 3) {
      const viewer = random.pick(this.viewers);
      if (this.away.delete(viewer)) await viewer.connect(service.url);
      else {
        this.away.add(viewer);
        await viewer.leave();
      }
    } else if (action === 4) {
      await this.cutClip(service);
    } else {
      // Asked while it is on: counted from what is written so far.
      const path = `/v1/activities/${this.channel.id}/report`;
      const { status, body } = await service.call('GET', path);
      if (status !== 200) throw new Error(`a report was answered ${JSON.stringify(body)}`);
      this.counts.reports += 1;
    }
  }

  /** Of the show that is on. */
  private async cutClip(service: ServiceProcess): Promise<void> {
    const { id } = this.channel;
    this.clipsAsked += 1;
    const name = `clip ${this.clipsAsked} of the show`;
    const doubt = this.book.doubt({
      ...{ via: 'interface', operation: 'makeClip', kind: 'channel', id, name },
      done: () => {},
    });
    const { status, body } = await service.call('POST', `/manage/v1/channels/${id}/clips`, {
      body: { last_seconds: clipSeconds, name },
    });
    // Right after a push began nothing of it may be written yet.
    if (status === 409) return this.book.refused(doubt);
    if (status !== 200) throw new Error(`a clip was answered ${JSON.stringify(body)}`);
    this.book.answered(doubt, id);
    this.book.made({ kind: 'video', id: body.id, name });
    this.counts.clips += 1;
  }

  private async goLive(service: ServiceProcess): Promise<void> {
    const { publishUrl } = this.channel;
    const letIn = await untilLetIn(() => startClipPush(publishUrl, testClip()), {
      withinMs: liveWithinMs,
    });
    this.push = letIn.push;
    this.counts.pushes += 1;
    await until(() => isLive(service, this.channel.id), {
      withinMs: liveWithinMs,
      otherwise: 'the channel is not live',
    });
  }
}

/** A kill is under way where its exit is a moment off. */
async function wasKilled(service: ServiceProcess): Promise<boolean> {
  return await Promise.race([service.exited.then(() => true), Bun.sleep(1_000).then(() => false)]);
}
