// A channel of a running service and what its caller sees of it: addresses, whether it is live, its videos.
import { patience } from './machine-pace.ts';

/** What a trial or a test needs of a service, in this process or in one of its own. */
export interface CallableService {
  url: string;
  call(
    method: string,
    path: string,
    asked?: { body?: unknown; headers?: Record<string, string> },
    // biome-ignore lint/suspicious/noExplicitAny: answers of every shape are looked into
  ): Promise<{ body: any }>;
}

export interface LiveChannel {
  id: number;
  publishUrl: string;
  playlistUrl: string;
  rtmpPlayUrl: string;
}

/** The fields of a video that trials look at (interface 2.3). */
export interface ListedVideo {
  id: number;
  act_id: number;
  m3u8: string;
  m3u8_480: string;
  video_url: string;
  video_size: number;
  cover_url: string;
  duration: number;
  width: number;
  height: number;
  start_time: string;
  end_time: string;
}

export async function newLiveChannel(
  service: CallableService,
  name = 'a show',
): Promise<LiveChannel> {
  const headers = hostOf(service);
  const { body } = await service.call('POST', '/v1/activities', { headers, body: { name } });
  return {
    id: body.id,
    publishUrl: body.rtmp_publish_addr,
    playlistUrl: body.hls_play_addr,
    rtmpPlayUrl: body.rtmp_play_addr,
  };
}

export async function isLive(service: CallableService, id: number): Promise<boolean> {
  const { body } = await service.call('GET', `/v1/activities/${id}`);
  return body.live_status === 1;
}

/** Newest first. */
export async function videosOf(service: CallableService, id: number): Promise<ListedVideo[]> {
  const path = `/v1/videos?act_id=${id}&perPage=1000`;
  const { body } = await service.call('GET', path, { headers: hostOf(service) });
  return body.videos;
}

/** Addresses in answers begin with the host that was asked. */
function hostOf({ url }: CallableService): Record<string, string> {
  return { host: new URL(url).host };
}

/** What a publisher is told while another has the channel. */
export const taken = 'This channel is being published to by another connection';

/** The service takes a channel over when another asks. */
const tryAgainMs = 200;

/** Publishes as encoders do: again and again while another connection has the channel, or what was their own. */
export async function untilLetIn<T>(
  publish: () => Promise<T>,
  { withinMs }: { withinMs: number },
): Promise<{ push: T; refused: number }> {
  const startedAt = performance.now();
  for (let refused = 0; ; refused++) {
    try {
      return { push: await publish(), refused };
    } catch (error) {
      const isOver = performance.now() - startedAt > patience(withinMs);
      if ((error as Error).message !== taken || isOver) throw error;
      await Bun.sleep(tryAgainMs);
    }
  }
}

/** How long it took until it holds; throws the sentence where that takes longer than `withinMs`. */
export async function until(
  holds: () => Promise<boolean> | boolean,
  { withinMs, otherwise }: { withinMs: number; otherwise: string },
): Promise<number> {
  const startedAt = performance.now();
  for (;;) {
    if (await holds()) return performance.now() - startedAt;
    if (performance.now() - startedAt > patience(withinMs)) throw new Error(otherwise);
    // What the interface shows is asked for, not announced: there is no event to wait for.
    await Bun.sleep(20);
  }
}
