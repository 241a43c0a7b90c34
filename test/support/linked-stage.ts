// Services linked anew for each test of a file, on one bucket: they end behind the test, and an encoder comes to any of them.
import { afterAll, afterEach, beforeAll } from 'bun:test';
import { type BucketStore, startBucketStore } from './bucket-store.ts';
import { type ClipPush, startClipPush, testClip } from './clip-push.ts';
import { type LinkedService, type LinkedServices, startLinkedServices } from './linked-services.ts';
import { untilLetIn } from './live-channel.ts';
import type { TestService } from './service.ts';

const letInWithinMs = 15_000;

interface Nodes {
  1: [LinkedService];
  2: [LinkedService, LinkedService];
  3: [LinkedService, LinkedService, LinkedService];
}

/** Its bucket is open while the tests of the file run; those of a test are given a place of their own in it. */
export class LinkedStage {
  private store: BucketStore | undefined;
  private nodes: LinkedServices | undefined;

  constructor() {
    beforeAll(async () => {
      this.store = await startBucketStore();
    });
    afterEach(async () => {
      await this.nodes?.stop();
      this.nodes = undefined;
      this.store?.set('through');
    });
    afterAll(() => this.store?.stop());
  }

  get bucketStore(): BucketStore {
    if (!this.store) throw new Error('there is no bucket');
    return this.store;
  }

  async start<N extends keyof Nodes>(
    count: N,
    settings: Record<string, string> = {},
  ): Promise<Nodes[N]> {
    this.nodes = await startLinkedServices(count, {
      settings: { MIN_FREE_DISK: '10M', ...this.bucketStore.emptyPlace(), ...settings },
    });
    await this.nodes.linked();
    return this.nodes.all as Nodes[N];
  }

  /** It is not stopped again. */
  async stopFirst(): Promise<void> {
    const [first] = this.nodes?.all.splice(0, 1) ?? [];
    await first?.service.stop();
  }
}

/** The same RTMP address on another node. */
export function rtmpOn({ rtmpPort }: TestService, url: string): string {
  return `rtmp://127.0.0.1:${rtmpPort}${new URL(url).pathname}`;
}

export async function pushTo(service: TestService, publishUrl: string): Promise<ClipPush> {
  const publish = () => startClipPush(rtmpOn(service, publishUrl), testClip());
  return (await untilLetIn(publish, { withinMs: letInWithinMs })).push;
}
