// Sessions that a killed service had: told once when their pages did not come back, and never where they did.
import { afterAll, describe, expect, test } from 'bun:test';
import { engines } from '../../../test/support/engines.ts';
import { entry, newChannel, openTestStore } from '../../../test/support/store.ts';
import { feeds, sessionsPerEvent } from '../../library/events/event-feed.ts';
import { eventsAfter } from '../../library/events/event-store.ts';
import { type Entered, enterSessions, eraseViewer } from '../records/audience-store.ts';
import { endSessions } from '../records/session-end-store.ts';
import { endLost } from './lost-sessions.ts';

const begin = Date.UTC(2026, 4, 4, 12);
const minute = 60_000;
const [killed, running] = [5, 9];

for (const engine of engines) {
  describe(engine.name, async () => {
    const store = await openTestStore(engine);
    afterAll(() => store.close());
    const enter = async (channel_id: number, held_by: number, viewers: string[], more = {}) => {
      const entries = viewers.map((viewer) => ({ ...entry(viewer, begin), ...more }));
      const given = { channel_id, held_by, now: begin, resumeWithinMs: 30_000, entries };
      return await store.perform(enterSessions, given);
    };
    const lost = (at: number, withOwn = false) =>
      endLost({ store, heldBy: running, now: () => at }, { withOwn });
    const told = async (channel_id: number): Promise<number[][]> =>
      (await eventsAfter(store, { account_id: 1, feed: feeds.sessions, seq: 0, limit: 1_000 }))
        .filter((event) => event.channel_id === channel_id)
        .map(({ data }) => JSON.parse(data).sessions);
    const idsOf = (entered: (Entered | undefined)[]) =>
      entered.map((one) => one?.record_id ?? 0).sort((a, b) => a - b);

    test('what nobody has seen for two minutes is over; those that another service has taken go on', async () => {
      const channel_id = await newChannel(store);
      const had = await enter(channel_id, killed, ['a', 'b', 'back']);
      const back = had[2] as Entered;
      const resume = { record_id: back.record_id, session_seq: back.session_seq };
      const [resumed] = await enter(channel_id, running, ['back'], { resume });
      expect(resumed).toMatchObject({ isResumed: true, record_id: back.record_id });
      expect(await lost(begin + 2 * minute)).toBe(0);
      expect(await lost(begin + 2 * minute + 1)).toBe(2);
      expect(await lost(begin + 3 * minute)).toBe(0);
      expect(await told(channel_id)).toEqual([idsOf(had.slice(0, 2))]);
      // The killed one's own end comes too late, as does a page's claim.
      const sessions = [{ seq: back.session_seq, record_id: back.record_id, viewer_id: 'back' }];
      expect(await store.perform(endSessions, { channel_id, held_by: killed, sessions })).toBe(0);
      const over = had[0] as Entered;
      const claim = { record_id: over.record_id, session_seq: over.session_seq };
      expect(await enter(channel_id, running, ['a'], { resume: claim })).toEqual([undefined]);
      expect(await lost(begin + 11 * minute, true)).toBe(1);
      expect(await told(channel_id)).toEqual([idsOf(had.slice(0, 2)), [back.record_id]]);
    });

    test('two services that look at once tell each of them once, a thousand in one event', async () => {
      const channel_id = await newChannel(store);
      const viewers = Array.from({ length: sessionsPerEvent + 3 }, (_, at) => `v${at}`);
      const had = await enter(channel_id, killed, viewers);
      const counts = await Promise.all([lost(begin + 3 * minute), lost(begin + 3 * minute)]);
      expect(counts[0] + counts[1]).toBe(viewers.length);
      const events = await told(channel_id);
      expect(events.flat().sort((a, b) => a - b)).toEqual(idsOf(had));
      expect(Math.max(...events.map((ids) => ids.length))).toBeLessThanOrEqual(sessionsPerEvent);
    });

    test('one whose number an import has changed is found by its viewer; one that was erased is not told', async () => {
      const channel_id = await newChannel(store);
      const [a, b] = (await enter(channel_id, running, ['a', 'b'])) as [Entered, Entered];
      await store.perform(eraseViewer, { channel_id, viewer_id: 'b' });
      const over = ({ record_id }: Entered, viewer_id: string) => ({
        seq: 77,
        record_id,
        viewer_id,
      });
      const sessions = [over(a, 'a'), over(b, 'b')];
      expect(await store.perform(endSessions, { channel_id, held_by: running, sessions })).toBe(1);
      expect(await told(channel_id)).toEqual([[a.record_id]]);
    });
  });
}
