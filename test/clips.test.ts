// Clips out of a show that is on, a show that is over and a video, each judged as a video by readers that are not ours.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { timeText } from '../src/library/captions/cue-time.ts';
import { type ClipPush, startClipPush } from './support/clip-push.ts';
import { engines } from './support/engines.ts';
import { judgeVideo, noJudge } from './support/media-judge.ts';
import { testWith } from './support/needs.ts';
import { fileOf } from './support/pictures.ts';
import { expectError } from './support/scenarios.ts';
import { movingClock, type Reply, startTestService, type TestService } from './support/service.ts';

for (const engine of engines) {
  describe(`clips on ${engine.name}`, () => {
    let service: TestService;
    let channel: number;
    let push: ClipPush;
    /** The video that the push became. */
    let whole: { id: number; duration: number };
    const cut = (body: object, id = channel): Promise<Reply> =>
      service.call('POST', `/manage/v1/channels/${id}/clips`, { body });
    const video = async (id: number) => (await service.call('GET', `/v1/videos/${id}`)).body;
    const count = async () => (await service.call('GET', '/v1/videos')).body.meta.total;
    const judged = async (id: number, ms: number) => {
      const { m3u8 } = await video(id);
      const { durationMs, problems } = await judgeVideo(m3u8);
      expect(problems).toEqual([]);
      expect(Math.abs(durationMs - ms)).toBeLessThan(100);
    };

    beforeAll(async () => {
      service = await startTestService(engine, { clock: movingClock() });
      const body = { name: 'launch' };
      const made = (await service.call('POST', '/v1/activities', { body })).body;
      channel = made.id;
      push = await startClipPush(made.rtmp_publish_addr);
    });
    afterAll(() => service.stop());

    testWith(noJudge, 'the last seconds of a show that is on, which goes on', async () => {
      let reply = await cut({ last_seconds: 5, name: ' The moment ' });
      while (reply.status !== 200) {
        // Nothing is recorded before the first picture, nor whole before the first segment.
        expect([409021, 409022]).toContain(reply.body.errors.code);
        reply = await cut({ last_seconds: 5, name: ' The moment ' });
      }
      const { id, from_ms, to_ms } = reply.body;
      expect(await video(id)).toMatchObject({ name: 'The moment', act_id: channel, width: 640 });
      await judged(id, to_ms - from_ms);
      const { body } = await service.call('GET', `/v1/activities/${channel}`);
      expect(body.live_status).toBe(1);
    });

    testWith(noJudge, 'a stretch of the show that is on', async () => {
      const [show] = (await service.call('GET', `/manage/v1/channels/${channel}/shows`)).body.shows;
      const { status, body } = await cut({ show: show.id, from_ms: 100, to_ms: 1_000 });
      expect({ status, body }).toMatchObject({ status: 200, body: { from_ms: 0 } });
      expect(body.to_ms).toBeGreaterThanOrEqual(1_000);
      expect((await video(body.id)).name).toStartWith('launch 2026-05-04 ');
      await judged(body.id, body.to_ms - body.from_ms);
      while (push.sentMs() < 9_000) await Bun.sleep(20);
      const before = await count();
      await push.end();
      while ((await count()) === before) await Bun.sleep(20);
      [whole = { id: 0, duration: 0 }] = (await service.call('GET', '/v1/videos')).body.videos;
    });

    testWith(noJudge, 'of the video that it became, from a key frame on', async () => {
      const { body } = await cut({ video_id: whole.id, from_ms: 4_500, to_ms: 6_500 });
      expect(body.from_ms).toBeLessThanOrEqual(4_500);
      expect(body.to_ms).toBeGreaterThanOrEqual(6_500);
      // No more than a segment at either end.
      expect(body.to_ms - body.from_ms).toBeLessThan(2_000 + 2 * 4_000);
      await judged(body.id, body.to_ms - body.from_ms);
    });

    testWith(noJudge, 'of the show that is over, up to its end', async () => {
      const [show] = (await service.call('GET', `/manage/v1/channels/${channel}/shows`)).body.shows;
      const to_ms = 1_000 * whole.duration + 60_000;
      const { body } = await cut({ show: show.id, from_ms: 2_500, to_ms });
      expect(Math.abs(body.to_ms - 1_000 * whole.duration)).toBeLessThan(1_000);
      await judged(body.id, body.to_ms - body.from_ms);
    });

    testWith(noJudge, 'who may not watch a video may not watch a clip of it either', async () => {
      const admitted = (of: string, body?: object) =>
        service.call(body ? 'PUT' : 'GET', `/manage/v1/${of}/access`, body ? { body } : {});
      const stretch = { from_ms: 2_500, to_ms: 4_500 };
      const [show] = (await service.call('GET', `/manage/v1/channels/${channel}/shows`)).body.shows;
      const accessOf = async (of: object) => {
        const { id } = (await cut({ ...of, ...stretch })).body;
        const answer = await fetch((await video(id)).m3u8);
        return { status: answer.status, ...(await admitted(`videos/${id}`)).body };
      };
      await admitted(`videos/${whole.id}`, { kind: 'password', password: 'open sesame' });
      const kept = { status: 403, kind: 'password', has_password: true, of_channel: false };
      expect(await accessOf({ video_id: whole.id })).toMatchObject(kept);
      expect(await accessOf({ show: show.id })).toMatchObject(kept);
      // Whom a list or a code lets in, too.
      await admitted(`videos/${whole.id}`, { kind: 'list', list: ['u-42'] });
      expect(await accessOf({ video_id: whole.id })).toMatchObject({
        kind: 'list',
        list: ['u-42'],
      });
      // What everybody may watch of a channel that is not for everybody is said of one video, and of no other.
      await admitted(`videos/${whole.id}`, { kind: 'open' });
      await admitted(`channels/${channel}`, { kind: 'signed' });
      const asChannel = { status: 403, kind: 'signed', of_channel: true };
      expect(await accessOf({ video_id: whole.id })).toMatchObject(asChannel);
      await admitted(`channels/${channel}`, { kind: 'open' });
    });

    testWith(noJudge, 'a clip has the captions of its stretch, at its own times', async () => {
      const captions = (id: number) => `/manage/v1/videos/${id}/captions`;
      const cue = (from: number, to: number, text: string) =>
        `00:00:0${from}.000 --> 00:00:0${to}.000\n${text}`;
      const text = `WEBVTT\n\n${cue(0, 1, 'first')}\n\n${cue(0, 8, 'all the time')}\n`;
      const body = fileOf(Buffer.from(text), 'text/vtt');
      await service.call('PUT', `${captions(whole.id)}/en?label=Spoken`, { body });
      const stretch = { from_ms: 4_500, to_ms: 6_500 };
      const [show] = (await service.call('GET', `/manage/v1/channels/${channel}/shows`)).body.shows;
      for (const of of [{ video_id: whole.id }, { show: show.id }]) {
        const made = (await cut({ ...of, ...stretch })).body;
        expect((await service.call('GET', captions(made.id))).body.captions).toMatchObject([
          { language: 'en', label: 'Spoken', cues: 1 },
        ]);
        const end = timeText(Math.min(8_000, made.to_ms) - made.from_ms);
        expect((await service.call('GET', `${captions(made.id)}/en`)).text).toBe(
          `WEBVTT\n\n00:00:00.000 --> ${end}\nall the time\n`,
        );
      }
    });

    test('what is not there, or not asked for rightly, makes nothing', async () => {
      const before = await count();
      const other = (await service.call('POST', '/v1/activities', { body: { name: 'other' } })).body
        .id;
      const [shown] = (await service.call('GET', `/manage/v1/channels/${channel}/shows`)).body
        .shows;
      const stretch = { from_ms: 0, to_ms: 1_000 };
      const field = (name: string) => ({ status: 400, code: 400001, fields: [name] });
      for (const [body, wanted, id] of [
        [{ last_seconds: 60 }, { status: 409, code: 409021 }],
        [{ last_seconds: 4 }, field('last_seconds')],
        [{ last_seconds: 601 }, field('last_seconds')],
        [{}, field('last_seconds')],
        [{ show: 1, video_id: 1, ...stretch }, field('last_seconds')],
        [
          { video_id: 1, from_ms: 0 },
          { status: 400, code: 400002, fields: ['to_ms'] },
        ],
        [{ video_id: 1, from_ms: 5, to_ms: 5 }, field('to_ms')],
        [{ video_id: 1, from_ms: 0, to_ms: 3_600_001 }, field('to_ms')],
        [
          { video_id: 999_999, ...stretch },
          { status: 404, code: 404003 },
        ],
        [
          { show: 999_999, ...stretch },
          { status: 404, code: 404004 },
        ],
        [{ video_id: whole.id, ...stretch }, { status: 404, code: 404003 }, other],
        [{ show: shown.id, ...stretch }, { status: 404, code: 404004 }, other],
        [
          { video_id: whole.id, from_ms: 9_000_000, to_ms: 9_000_001 },
          { status: 409, code: 409022 },
        ],
      ] as const)
        expectError(await cut(body, id), wanted);
      expect(await count()).toBe(before);
    });

    test('nothing is left beside the recordings', async () => {
      const dataDir = service.settings['DATA_DIR'] ?? '';
      expect(await readdir(join(dataDir, 'clips'))).toEqual([]);
      expect(await readdir(join(dataDir, 'recordings'))).toHaveLength(await count());
    });
  });
}
