// Which of its videos a channel's page offers as the recording, on both engines.
import { afterAll, describe, expect, test } from 'bun:test';
import { engines } from '../../../test/support/engines.ts';
import { newChannel, openTestStore, plainVideo } from '../../../test/support/store.ts';
import { addRecording, type FinishedRecording } from '../../stream/recording/recording-store.ts';
import { lastVideo } from './shown-video-store.ts';
import { addVideos } from './video-store.ts';

const now = Date.UTC(2026, 5, 1);

for (const engine of engines) {
  describe(engine.name, async () => {
    const store = await openTestStore(engine);
    afterAll(() => store.close());
    let count = 0;
    const add = async (channel_id: number, more: Partial<FinishedRecording>) => {
      count += 1;
      const made = await store.perform(addRecording, {
        recording: `recording ${count}`,
        channel_id,
        account_id: 1,
        show_at: null,
        show_ms: null,
        startText: 'now',
        video_size: 1,
        duration: 1,
        width: 0,
        height: 0,
        start_time: now,
        end_time: now,
        sameAsSource: [],
        jobs: [],
        node: 'here',
        now,
        ...more,
      });
      return Number(made);
    };
    const offered = async (id: number, last_push_stream_at: number | null) =>
      (await lastVideo(store, { id, account_id: 1, last_push_stream_at }))?.id;

    test('a clip or an upload behind a show is not its recording', async () => {
      const channel = await newChannel(store);
      const show = await add(channel, { show_at: now, show_ms: 0 });
      await add(channel, { name: 'clip', asked: 'clip' });
      await add(channel, { name: 'upload', asked: 'upload' });
      expect(await offered(channel, now)).toBe(show);
      const next = await add(channel, { show_at: now + 1, show_ms: 0 });
      expect(await offered(channel, now)).toBe(next);
    });

    test('an upload is offered where nothing was ever pushed, a clip of it never', async () => {
      const channel = await newChannel(store);
      await add(channel, { name: 'first', asked: 'upload' });
      const upload = await add(channel, { name: 'second', asked: 'upload' });
      await add(channel, { name: 'clip', asked: 'clip' });
      expect(await offered(channel, null)).toBe(upload);
      expect(await offered(channel, now)).toBeUndefined();
    });

    test('an imported video is offered, also before an upload that came later', async () => {
      const channel = await newChannel(store);
      const videos = [plainVideo({ external_id: 'theirs', channel_id: channel, m3u8: 'theirs' })];
      await store.perform(addVideos, { account_id: 1, videos });
      await add(channel, { name: 'upload', asked: 'upload' });
      const last = await lastVideo(store, {
        id: channel,
        account_id: 1,
        last_push_stream_at: null,
      });
      expect(last?.m3u8).toBe('theirs');
    });
  });
}
