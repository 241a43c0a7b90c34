// What the database says of a show's recordings, on both engines.
import { afterAll, describe, expect, test } from 'bun:test';
import { engines } from '../../../test/support/engines.ts';
import { newChannel, openTestStore } from '../../../test/support/store.ts';
import type { Sql } from '../../base/db/sql.ts';
import { deleteVideo } from '../../library/deletion/deleted-video-store.ts';
import { addRecording } from '../../stream/recording/recording-store.ts';
import { findSessions, readTimeline } from './show-report-store.ts';

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

test('those who were there long before are looked up one by one, however many sessions there are (sqlite)', async () => {
  const [sqlite] = engines;
  if (!sqlite) throw new Error('no engine');
  const store = await openTestStore(sqlite);
  const looked: string[] = [];
  const all: Sql['all'] = async (text, params) => {
    const steps = await store.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${text}`, params);
    looked.push(...steps.map(({ detail }) => detail.split(' ').slice(0, 2).join(' ')));
    return await store.all(text, params);
  };
  const sql = {
    dialect: store.dialect,
    all,
    one: store.one.bind(store),
    run: store.run.bind(store),
  };
  const show = {
    id: 1,
    channel_id: 1,
    begin_at,
    end_at: null,
    first_entry_at: 0,
    last_entry_at: 0,
  };
  await findSessions.run(sql, { ...show, account_id: 1, changes: 0, records_from: 0 });
  await store.close();
  expect(looked).toEqual(['SEARCH b', 'SEARCH s', 'USE TEMP']);
});
