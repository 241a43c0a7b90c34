// Recordings that have ended and are no videos yet: each is tried until it is one, or cannot become one.
import { isDoneWithin } from '../../base/turns/within.ts';
import { type MadeVideo, makeVideo, type VideoMaking } from './make-video.ts';

export interface UnfinishedOptions extends VideoMaking {
  /** There is a new video with work to be done. */
  onVideo(video: MadeVideo): void;
}

/** One that cannot be finished, because the database is away, is tried again; the wait doubles. */
const retryMs = 1_000;
const retryMsMax = 60_000;

export class UnfinishedRecordings {
  private readonly options: UnfinishedOptions;

  /** At most one for each push and one for each folder that a crash has left. */
  private readonly works = new Set<Promise<unknown>>();
  private readonly stopping = Promise.withResolvers<void>();

  constructor(options: UnfinishedOptions) {
    this.options = options;
  }

  /** `close` is waited for first: what is still being written is no video. */
  add(name: string, close: () => Promise<void>): void {
    this.track(close().then(() => this.finish(name)));
  }

  /** Something else that a stop waits for. */
  track(work: Promise<unknown>): void {
    this.works.add(work);
    work.finally(() => this.works.delete(work));
  }

  /** Waits for the tries under way; what the database does not take now is left to the next start. */
  async stop(): Promise<void> {
    this.stopping.resolve();
    await Promise.all(this.works);
  }

  private async finish(name: string): Promise<void> {
    for (let waitMs = retryMs; ; waitMs = Math.min(2 * waitMs, retryMsMax)) {
      if (await this.isFinished(name)) return;
      if (await isDoneWithin(this.stopping.promise, waitMs)) return;
    }
  }

  /** Whether nothing is left to be done; false where the database is away. */
  private async isFinished(name: string): Promise<boolean> {
    try {
      const video = await makeVideo(this.options, name);
      if (video) this.options.onVideo(video);
      return true;
    } catch (error) {
      this.options.log.error('a recording could not be made a video yet', {
        recording: name,
        error,
      });
      return false;
    }
  }
}
