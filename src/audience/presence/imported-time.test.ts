// An import adds to the time of viewers who are there, whether its lines are older or newer than what is there.
import { afterEach, describe, expect, test } from 'bun:test';
import { engines } from '../../../test/support/engines.ts';
import { bringSessions } from '../../../test/support/past-sessions.ts';
import { endlessShow } from '../../../test/support/some-show.ts';
import { enterAnew, entry, newChannel, openTestStore } from '../../../test/support/store.ts';
import type { Store } from '../../base/db/sql.ts';
import { startLog } from '../../base/lib/log.ts';
import { AudienceFlush } from '../counting/audience-flush.ts';
import { OnAir } from '../counting/on-air.ts';
import { PresentSession, PresentVisitor } from '../counting/present.ts';

const second = 1_000;
const noon = Date.UTC(2026, 4, 4, 12, 0, 0);
const onAir = new OnAir(endlessShow(noon), noon);
const running: { flush: AudienceFlush; store: Store }[] = [];
afterEach(async () => {
  for (const { flush, store } of running.splice(0)) {
    await flush.stop();
    await store.close();
  }
});

for (const engine of engines) {
  describe(engine.name, () => {
    test.each([
      ['older', noon - 3_600 * second],
      ['newer', noon + 3_600 * second],
    ])('lines that are %s', async (_, entered_at) => {
      const { flush, ann, bob, bring, visitors } = await twoViewers(await openTestStore(engine));
      watch(flush, ann, 10);
      await flush.flush();
      await bring([
        { record_id: 1, viewer_id: 'ann', entered_at, watch_ms: 300 * second },
        { record_id: 2, viewer_id: 'past', entered_at, watch_ms: 7 * second },
      ]);
      watch(flush, ann, 20);
      watch(flush, bob, 20);
      await flush.flush();
      expect(await visitors()).toEqual({ ann: 320, bob: 10, past: 7 });
      watch(flush, ann, 30);
      await flush.flush();
      expect(await visitors()).toEqual({ ann: 330, bob: 10, past: 7 });
    });

    test('lines that come in turn while all goes on', async () => {
      const { flush, ann, bring, visitors } = await twoViewers(await openTestStore(engine));
      for (const turn of [1, 2, 3]) {
        watch(flush, ann, turn * 10);
        const entered_at = noon + turn * 3_600 * second;
        await bring([{ record_id: turn, viewer_id: 'ann', entered_at, watch_ms: 100 * second }]);
        await flush.flush();
        expect(await visitors()).toEqual({ ann: turn * 110, bob: 0 });
      }
    });

    test('a second tab does not bring it twice', async () => {
      const given = await twoViewers(await openTestStore(engine));
      const { flush, ann, bring, enter, visitors } = given;
      watch(flush, ann, 10);
      await flush.flush();
      const entered_at = noon + 3_600 * second;
      await bring([{ record_id: 1, viewer_id: 'ann', entered_at, watch_ms: 60 * second }]);
      const tab = await enter(ann.visitor);
      watch(flush, ann, 20);
      watch(flush, tab, 20);
      await flush.flush();
      expect(await visitors()).toEqual({ ann: 80, bob: 0 });
    });
  });
}

/** Ann and Bob have entered a channel at noon. */
async function twoViewers(store: Store) {
  const channel_id = await newChannel(store);
  const flush = new AudienceFlush({
    store,
    log: startLog('silent'),
    now: () => noon,
    onErased: () => {},
  });
  running.push({ flush, store });
  const enter = async (visitor: PresentVisitor) => {
    const [entered] = await enterAnew(store, channel_id, [entry(visitor.viewer_id, noon)]);
    if (!entered) throw new Error('nobody entered');
    visitor.entered(entered, noon);
    const given = { channel_id, visitor, entered, instance: '', at: noon };
    const session = new PresentSession(given);
    visitor.sessions.push(session);
    return session;
  };
  const stranger = (viewer_id: string) => new PresentVisitor({ viewer_id, author: '', nick: '' });
  return {
    flush,
    enter,
    ann: await enter(stranger('ann')),
    bob: await enter(stranger('bob')),
    bring: (sessions: Parameters<typeof bringSessions>[2]) =>
      bringSessions(store, channel_id, sessions),
    /** Their seconds, by viewer. */
    visitors: async () => {
      const rows = await store.all<{ viewer_id: string; watch_ms: number }>(
        'SELECT viewer_id, watch_ms FROM visitors WHERE channel_id = $1',
        [channel_id],
      );
      return Object.fromEntries(rows.map((row) => [row.viewer_id, row.watch_ms / second]));
    },
  };
}

/** Ten seconds that end so many seconds after noon. */
function watch(flush: AudienceFlush, session: PresentSession, untilSecond: number): void {
  session.report(noon + untilSecond * second, { played_ms: 10 * second }, onAir);
  flush.mark(session);
}
