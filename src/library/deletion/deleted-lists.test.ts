// The lists of what is deleted, as time alone empties them, on both engines.
import { expect, test } from 'bun:test';
import { engines } from '../../../test/support/engines.ts';
import { startTestService } from '../../../test/support/service.ts';
import { plainVideo } from '../../../test/support/store.ts';
import { addVideos } from '../videos/video-store.ts';

test.each(engines)('what cannot be brought back any more is in no list ($name)', async (engine) => {
  const service = await startTestService(engine);
  try {
    const channel = async () =>
      (await service.call('POST', '/v1/activities', { body: { name: 'a' } })).body.id as number;
    const [kept, deleted] = [await channel(), await channel()];
    const videos = [plainVideo({ external_id: 'one', channel_id: kept })];
    await service.store.perform(addVideos, { account_id: 1, videos });
    const [video] = (await service.call('GET', '/v1/videos')).body.videos;
    await service.call('DELETE', `/manage/v1/videos/${video.id}`);
    await service.call('DELETE', `/v1/activities/${deleted}`);
    const totals = async () => {
      const lists = ['deleted-videos', 'deleted-channels'];
      const asked = lists.map((list) => service.call('GET', `/manage/v1/${list}`));
      return (await Promise.all(asked)).map(({ body }) => body.meta.total);
    };
    expect(await totals()).toEqual([1, 1]);
    service.clock.now += 365 * 86_400_000;
    expect(await totals()).toEqual([0, 0]);
  } finally {
    await service.stop();
  }
});
