// A service with an honest show on air and a viewer before it, and an account of an attacker's own beside.
import { expect } from 'bun:test';
import type { Target, TargetChannel } from './attacks/attack.ts';
import { type ClipPush, startClipPush, testClip } from './clip-push.ts';
import { engines } from './engines.ts';
import { newLiveChannel } from './live-channel.ts';
import { type PlaylistPlayer, startPlaylistPlayer } from './playlist-player.ts';
import { movingClock, startTestService, type TestService } from './service.ts';

export interface Attacked {
  service: TestService;
  target: Target;
  /** What of this kind was refused, by reason, where anything was. */
  refused(kind: string): Promise<Record<string, number>>;
  /** The show is as it should be: the viewer gets more of it, and nothing was wrong before. */
  showGoesOn(): Promise<void>;
  stop(): Promise<void>;
}

export async function startAttacked(
  settings: Record<string, string> = {},
  { channels = 2 } = {},
): Promise<Attacked> {
  const [sqlite] = engines;
  if (!sqlite) throw new Error('no engine');
  const service = await startTestService(sqlite, {
    settings: { MIN_FREE_DISK: '10M', ...settings },
    clock: movingClock(),
  });
  const show = await newLiveChannel(service);
  const push = await startClipPush(show.publishUrl, testClip());
  const viewer = startPlaylistPlayer(show.playlistUrl);
  await viewer.seen(({ shownMs }) => shownMs > 0);
  const account_id = await service.newAccount();
  const token = await service.newToken({ account_id });
  for (let n = 0; n < channels; n++)
    await service.call('POST', '/v1/activities', { token, body: { name: 'rude' } });
  const rows = await service.store.all<TargetChannel>(
    'SELECT id, stream_key, play_id FROM channels ORDER BY id',
  );
  const [honest, ...rude] = rows;
  if (!honest) throw new Error('there is no show');
  const { id, play_id } = honest;
  const target: Target = {
    port: Number(new URL(service.url).port),
    rtmpPort: service.rtmpPort,
    token,
    channels: rude,
    show: { id, play_id },
  };
  return {
    service,
    target,
    refused: (kind) => refusalsOf(service, kind),
    showGoesOn: () => goesOn(push, viewer),
    stop: async () => {
      await viewer.stop();
      await push.end();
      await service.stop();
    },
  };
}

async function refusalsOf(service: TestService, kind: string): Promise<Record<string, number>> {
  const { text } = await service.call('GET', '/metrics', { token: null });
  const line = /^footlight_refusals_total\{kind="(\w+)",reason="(\w+)"\} (\d+)$/gm;
  const counts = [...text.matchAll(line)].filter(
    ([, of, , count]) => of === kind && Number(count) > 0,
  );
  return Object.fromEntries(counts.map(([, , reason, count]) => [reason, Number(count)]));
}

async function goesOn(push: ClipPush, viewer: PlaylistPlayer): Promise<void> {
  const { shownMs } = viewer.checker;
  const isOver = push.over.then((reason) => `the push is over: ${reason}`);
  const more = viewer.seen((checker) => checker.shownMs > shownMs + 1_000);
  expect(await Promise.race([more, isOver])).toBeUndefined();
  expect(viewer.problems()).toEqual([]);
}
