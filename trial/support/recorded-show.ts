// A push, its steady viewer, and what is recorded of it.
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type ClipPush, startClipPush } from '../../test/support/clip-push.ts';
import { type LiveChannel, newLiveChannel, until } from '../../test/support/live-channel.ts';
import type { ServiceProcess } from '../../test/support/service-process.ts';
import { type SteadyViewer, startHlsViewer } from './steady-viewers.ts';

/** Parts come every 200 ms: where nothing grows for so long, nothing is recorded. */
const stillMs = 1_000;

export class RecordedShow {
  private readonly service: ServiceProcess;
  private readonly dataDir: string;

  private made: { channel: LiveChannel; push: ClipPush; viewer: SteadyViewer } | undefined;
  private startedAt = 0;
  private lastBytes = 0;
  private lastGrownAt = 0;

  constructor(service: ServiceProcess, dataDir: string) {
    this.service = service;
    this.dataDir = dataDir;
  }

  /** Resolves when so much was shown and is recorded. */
  async start(name: string, shownMs: number): Promise<void> {
    const channel = await newLiveChannel(this.service, name);
    const viewer = startHlsViewer(channel.playlistUrl);
    const push = await startClipPush(channel.publishUrl);
    this.startedAt = performance.now();
    this.made = { channel, push, viewer };
    await until(() => this.shownMs() > shownMs && this.isRecording(), {
      withinMs: 5 * shownMs,
      otherwise: 'the push is not recorded',
    });
  }

  get channel(): LiveChannel {
    return this.running.channel;
  }

  get viewer(): SteadyViewer {
    return this.running.viewer;
  }

  shownMs(): number {
    return performance.now() - this.startedAt;
  }

  /** Whether recordings grew within the time of some parts. */
  isRecording(): boolean {
    const bytes = this.recordedBytes();
    if (bytes > this.lastBytes) this.lastGrownAt = performance.now();
    this.lastBytes = bytes;
    return performance.now() - this.lastGrownAt < stillMs;
  }

  /** Of everything that was ever recorded here, whatever was made of it since. */
  recordedBytes(): number {
    const root = join(this.dataDir, 'recordings');
    const folders = statSync(root, { throwIfNoEntry: false }) ? readdirSync(root) : [];
    return folders.reduce((sum, folder) => {
      const found = statSync(join(root, folder, 'source.mp4'), { throwIfNoEntry: false });
      return sum + (found?.size ?? 0);
    }, 0);
  }

  async endPush(): Promise<void> {
    await this.viewer.stop();
    await this.running.push.end();
  }

  async end(): Promise<void> {
    this.made?.push.publisher.cut();
    await this.made?.viewer.stop();
  }

  private get running() {
    if (!this.made) throw new Error('the show has not begun');
    return this.made;
  }
}
