// An account that pushes more than the disk space it may take: it is live and not recorded, and everyone else is.
import { afterEach, expect, test } from 'bun:test';
import { testClip } from '../support/clip-push.ts';
import { until } from '../support/live-channel.ts';
import { pushInLoop, secondOf } from '../support/rude/push-loop.ts';
import { type AttackedService, startAttackedService } from './attacked-service.ts';

const [from, signal] = ['127.0.0.2', new AbortController().signal];
const tags = secondOf(testClip().tags);
const pushBytes = tags.reduce((sum, { body }) => sum + body.length, 0);

let attacked: AttackedService;
afterEach(() => attacked.service.stop());

test('an account fills its own share of the disk, not the disk', async () => {
  const bytesMax = 10 * pushBytes;
  const settings = { PUSHES_PER_MINUTE: '10000', ACCOUNT_DISK: `${bytesMax}` };
  attacked = await startAttackedService(settings);
  const { target, service, key, honestKey } = attacked;
  const given = { port: target.rtmpPort, from, signal, tags };
  expect(await pushInLoop({ ...given, key, pushes: 30 })).toMatchObject({ begun: 30 });
  // Each push that is not recorded is live all the same, and counted.
  await until(async () => (await attacked.refused('push', 'account_disk')) > 10, {
    withinMs: 60_000,
    otherwise: 'nothing was refused',
  });
  await pushInLoop({ ...given, key: honestKey, from: '127.0.0.1', pushes: 1 });
  await until(async () => (await videosOf(1)).length === 1, {
    withinMs: 60_000,
    otherwise: 'the honest push did not become a video',
  });
  const rudeBytes = async () =>
    (await videosOf(2)).reduce((sum, { video_size }) => sum + video_size, 0);
  await until(async () => 2 * (await rudeBytes()) >= bytesMax, {
    withinMs: 60_000,
    otherwise: 'what was recorded of it is less than it may have',
  });
  expect(2 * (await rudeBytes())).toBeLessThan(2 * bytesMax);

  function videosOf(account_id: number) {
    return service.store.all<{ video_size: number }>(
      'SELECT video_size FROM videos WHERE account_id = $1',
      [account_id],
    );
  }
});
