// A push that claims a huge picture becomes a video that plays as it is; nobody decodes it.
import { afterEach, expect, test } from 'bun:test';
import { listJobs } from '../../src/library/jobs/job-store.ts';
import { attack } from '../support/attacks/huge-picture.ts';
import { until } from '../support/live-channel.ts';
import { type AttackedService, startAttackedService } from './attacked-service.ts';

let attacked: AttackedService;
afterEach(() => attacked.service.stop());

test('what must be decoded is given up at once; the source and its MP4 are there', async () => {
  attacked = await startAttackedService({});
  const { service, target } = attacked;
  const { signal } = new AbortController();
  await attack.run(target, { from: '127.0.0.2', signal });
  const jobs = async () =>
    (await service.store.perform(listJobs, { state: undefined, limit: 100, offset: 0 })).rows;
  const isOver = async () => {
    const rows = await jobs();
    const videos = new Set(rows.map(({ video_id }) => video_id));
    return videos.size === 2 && rows.every(({ state }) => state === 'done' || state === 'failed');
  };
  await until(isOver, { withinMs: 100_000, otherwise: 'the jobs are not over' });
  for (const { kind, state, tries, problem } of await jobs()) {
    expect([kind, state, tries]).toEqual([kind, kind === 'mp4' ? 'done' : 'failed', 1]);
    if (kind !== 'mp4') expect(problem).toContain('reference frames takes 1824 MB to decode');
  }
  // A cover and three variants of the large one, the cover of the one that is cropped.
  expect(await attacked.refused('job', 'picture')).toBe(5);
  expect(await attacked.refused('job', 'memory')).toBe(0);
  const { body } = await service.call('GET', '/v1/videos', { token: target.token });
  for (const { m3u8, video_url, cover_url } of body.videos) {
    expect(cover_url).toBe('');
    expect((await fetch(m3u8)).status).toBe(200);
    expect((await fetch(video_url)).status).toBe(200);
  }
});
