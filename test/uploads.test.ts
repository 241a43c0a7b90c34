// Uploads from the first byte to the video, by a client that is not ours, over a line that is cut; and files that are none.
import { afterAll, describe, expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { startCuttingProxy } from './support/cutting-proxy.ts';
import { engines } from './support/engines.ts';
import { judgeVideo, noJudge } from './support/media-judge.ts';
import { testWith } from './support/needs.ts';
import { expectError } from './support/scenarios.ts';
import { startTestService } from './support/service.ts';
import { beginHeaders, filmOf, pieceOf, sendByTus, tusHeaders } from './support/uploads.ts';

const megabyte = 1_048_576;
const film = await filmOf(20 * megabyte);

for (const engine of engines) {
  describe(`uploads on ${engine.name}`, async () => {
    const service = await startTestService(engine, { settings: { MIN_FREE_DISK: '1M' } });
    afterAll(() => service.stop());
    const { url, token } = service;
    const made = await service.call('POST', '/v1/activities', { body: { name: 'show' } });
    const channel_id = made.body.id as number;
    const filesIn = (folder: string) =>
      readdirSync(join(service.settings['DATA_DIR'] ?? '', folder));
    /** What has become of one that has come whole. */
    const ended = async (path: string) => {
      for (;;) {
        const { body } = await service.call('GET', path);
        if (body.state === 'done' || body.state === 'refused') return body;
        await Bun.sleep(20);
      }
    };
    const videos = async () => (await service.call('GET', '/v1/videos')).body.videos;
    const kept = async () => ({
      videos: (await videos()).map(({ id }: { id: number }) => id),
      recordings: filesIn('recordings'),
    });
    /** A file goes right after what has become of it is known. */
    const untilNoFile = async () => {
      while (filesIn('uploads').length > 0) await Bun.sleep(5);
    };

    testWith(noJudge, '20 MB over a line that is cut five times are one video', async () => {
      const cutAt = [1, 5, 9, 13, 17].map((at) => at * megabyte);
      const line = await startCuttingProxy(url, { cutAt });
      const path = await sendByTus({
        ...{ url: line.url, token, file: film },
        metadata: { channel_id: String(channel_id), filename: 'the film.mp4', name: 'The film' },
      });
      await line.stop();
      expect(line.cuts()).toBe(5);
      const { state, problem, offset, video_id } = await ended(path);
      expect({ state, problem, offset }).toEqual({
        state: 'done',
        problem: '',
        offset: film.length,
      });
      const [video, ...others] = await videos();
      expect(others).toEqual([]);
      expect(video).toMatchObject({ id: video_id, act_id: channel_id, name: 'The film' });
      const { durationMs, problems } = await judgeVideo(video.m3u8);
      expect(problems).toEqual([]);
      expect(Math.abs(durationMs - 10_000)).toBeLessThan(100);
      await untilNoFile();
      expect(filesIn('recordings')).toHaveLength(1);
      const done = await service.call('DELETE', path, { headers: tusHeaders });
      expectError(done, { status: 409, code: 409026 });
      expect((await service.call('HEAD', path, { headers: tusHeaders })).status).toBe(200);
    });

    test.each<[string, Uint8Array, RegExp]>([
      ['a text', Buffer.from('this is no film\n'.repeat(100)), /not a video/],
      ['an archive', Buffer.from('PK\x03\x04'.padEnd(1_000, '\0'), 'latin1'), /ZIP archive/],
      ['a film that was cut', film.subarray(0, film.length / 2), /cut|damaged|ends/],
      ['noise', crypto.getRandomValues(new Uint8Array(60_000)), /./],
    ])('%s is refused with a sentence, and leaves nothing', async (_, file, why) => {
      const before = await kept();
      const metadata = { channel_id, filename: 'film.mp4' };
      const begun = await service.call('POST', '/manage/v1/uploads', {
        headers: beginHeaders(metadata, file.length),
      });
      const path = `/manage/v1/uploads/${begun.body.id}`;
      const headers = { ...tusHeaders, 'upload-offset': '0' };
      expect((await service.call('PATCH', path, { headers, body: pieceOf(file) })).status).toBe(
        204,
      );
      const { state, problem, reason, video_id } = await ended(path);
      expect({ state, video_id }).toEqual({ state: 'refused', video_id: null });
      expect(problem).toMatch(why);
      expect(reason.code).toBeString();
      await untilNoFile();
      expect(await kept()).toEqual(before);
      // All of it had come, so nobody need send it again to learn that.
      const head = await service.call('HEAD', path, { headers: tusHeaders });
      expect(head.headers.get('upload-offset')).toBe(String(file.length));
      expect((await service.call('DELETE', path, { headers: tusHeaders })).status).toBe(204);
    });
  });
}
