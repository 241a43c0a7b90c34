// What the database says of a show's recordings, on both engines.
import { afterAll, describe, expect, test } from 'bun:test';
import { engines } from '../../../test/support/engines.ts';
import { newChannel, openTestStore } from '../../../test/support/store.ts';
import { deleteVideo } from '../../library/deletion/deleted-video-store.ts';
import { addRecording } from '../../stream/recording/recording-store.ts';
import { readTimeline } from './show-report-store.ts';

const begin_at = Date.UTC(2026, 5, 1);
const owner = { account_id: 1, manager_id: 0 };

for (const engine of engines) {
  describe(engine.name, async () => {
    const store = await openTestStore(engine);
    afterAll(() => store.close());

    test('a recording that was deleted is no part of the timeline', async () => {
      const channel_id = await newChannel(store);
      const id = Number(
        await store.perform(addRecording, {
          ...{ recording: 'one', channel_id, account_id: 1, show_at: begin_at, show_ms: 0 },
          ...{ startText: 'now', video_size: 1, duration: 1, width: 0, height: 0 },
          ...{ start_time: begin_at, end_time: begin_at, sameAsSource: [], jobs: [] },
          ...{ node: 'here', now: begin_at },
        }),
      );
      const ids = async () => {
        const asked = { account_id: 1, channel_id, begin_at };
        return (await store.perform(readTimeline, asked)).recordings.map((one) => one.id);
      };
      expect(await ids()).toEqual([id]);
      await store.perform(deleteVideo, { id, owner, now: begin_at });
      expect(await ids()).toEqual([]);
    });
  });
}
