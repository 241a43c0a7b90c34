import { describe, expect, test } from 'bun:test';
import { engines } from '../../../test/support/engines.ts';
import { newChannel, openTestStore } from '../../../test/support/store.ts';
import type { Store } from '../../base/db/sql.ts';
import { Show } from '../../stream/live/show.ts';
import { writeShow } from '../../stream/live/show-store.ts';
import { FollowedShows } from './followed-shows.ts';

/** What the rows are made to say, and what was told of it. */
async function world(engine: (typeof engines)[number]) {
  const store = await openTestStore(engine);
  const channel_id = await newChannel(store);
  const told: string[] = [];
  const on: { show: Show | undefined } = { show: undefined };
  const shows = new FollowedShows({
    sql: store,
    onShow: (id, show, at) => {
      expect(id).toBe(channel_id);
      on.show = show;
      told.push(`${show ? `on ${show.begin}` : 'off'} at ${at}`);
    },
  });
  const write = async (begin_at: number, end_at: number | null, anchors: number[][] = []) => {
    const media_ms = end_at === null ? 0 : end_at - begin_at;
    await writeShow(store, {
      ...{ channel_id, begin_at, end_at, media_ms },
      anchors: JSON.stringify(anchors),
    });
    await shows.look(channel_id);
  };
  return { store, channel_id, shows, told, on, write, close: () => (store as Store).close() };
}

for (const engine of engines)
  describe(engine.name, () => {
    test('a show is on from its beginning to its end, whenever it is looked at', async () => {
      const { told, on, write, shows, channel_id, close } = await world(engine);
      await write(1_000, null, [[0, 900]]);
      await shows.look(channel_id);
      await write(1_000, null, [
        [0, 900],
        [5_000, 7_000],
      ]);
      expect(on.show?.anchors).toEqual([
        { mediaMs: 0, wallMs: 900 },
        { mediaMs: 5_000, wallMs: 7_000 },
      ]);
      expect(on.show?.positionAt(7_500)).toBe(5_500);
      await write(1_000, 9_000, [
        [0, 900],
        [5_000, 7_000],
      ]);
      await shows.look(channel_id);
      expect(told).toEqual(['on 1000 at 1000', 'off at 9000']);
      await close();
    });

    test('the next show ends the one before, and what was over before is no news', async () => {
      const { told, write, close } = await world(engine);
      await write(1_000, 2_000);
      await write(3_000, null);
      await write(5_000, null);
      await write(5_000, 6_000);
      expect(told).toEqual(['on 3000 at 3000', 'off at 5000', 'on 5000 at 5000', 'off at 6000']);
      await close();
    });

    test('of a show that is this node’s own the rows say nothing new; when it has moved they do', async () => {
      const { told, write, shows, channel_id, close } = await world(engine);
      shows.begun(channel_id, new Show(1_000));
      await write(1_000, null);
      expect(told).toEqual([]);
      shows.moved(channel_id, 2_000);
      await shows.look(channel_id);
      await write(1_000, 3_000);
      expect(told).toEqual(['on 1000 at 2000', 'off at 3000']);
      await close();
    });

    test('one that has moved is not on for ever where nobody looks at the rows', async () => {
      const { told, shows, channel_id, close } = await world(engine);
      shows.begun(channel_id, new Show(1_000));
      shows.moved(channel_id, 2_000);
      shows.forget(() => false, 3_000);
      expect(told).toEqual(['on 1000 at 2000', 'off at 3000']);
      await close();
    });

    test('one that this node has ended is not on again while its end is being written', async () => {
      const { told, write, shows, channel_id, close } = await world(engine);
      shows.begun(channel_id, new Show(1_000));
      shows.ended(channel_id);
      await write(1_000, null);
      await write(1_000, 2_000);
      expect(told).toEqual([]);
      await write(3_000, null);
      expect(told).toEqual(['on 3000 at 3000']);
      await close();
    });

    test('what nobody looks at is off until somebody comes', async () => {
      const { told, write, shows, channel_id, close } = await world(engine);
      await write(1_000, null);
      shows.forget(() => true, 2_000);
      shows.forget(() => false, 3_000);
      shows.forget(() => false, 4_000);
      await shows.look(channel_id);
      expect(told).toEqual(['on 1000 at 1000', 'off at 3000', 'on 1000 at 1000']);
      await close();
    });
  });
