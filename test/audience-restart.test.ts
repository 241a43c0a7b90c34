// The audience across a stop of the service: nothing is lost, and sessions go on with the next one.
import { expect, test } from 'bun:test';
import { startClipPush } from './support/clip-push.ts';
import { engines } from './support/engines.ts';
import { isLive, until } from './support/live-channel.ts';
import { type Stage, startStage } from './support/stage.ts';

const second = 1_000;

test.each(engines)(
  'a stop writes everything, and pages go on with the next start ($name)',
  async (engine) => {
    const before = await startStage(engine);
    const [watching, silent] = [await before.enter('watching'), await before.enter('silent')];
    before.pass(10 * second);
    await watching.report(10 * second);
    // It ends before the next flush is due.
    await before.end();
    expect(await watching.page.closed).toBe(1012);
    before.pass(20 * second);
    const after = await startStage(engine, before.service);
    try {
      const stage = after.at(before.channel_id);
      await stage.recorded('watching', [{ online_time: '00:00:10', watch_time: '00:00:10' }]);
      const again = await stage.enter('watching', { resume: watching.welcome.resume });
      expect(sessionOf(again.welcome)).toBe(sessionOf(watching.welcome));
      stage.pass(11 * second);
      await again.report(0);
      // Seen last more than half a minute ago: too late.
      const late = await stage.enter('silent', { resume: silent.welcome.resume });
      expect(sessionOf(late.welcome)).not.toBe(sessionOf(silent.welcome));
      await stage.recorded('watching', [{ online_time: '00:00:21', watch_time: '00:00:10' }]);
      await stage.visited('watching', { watch_time: '00:00:10', visit_times: 1 });
      await stage.visited('silent', { visit_times: 2 });
    } finally {
      await after.end();
    }
  },
);

test.each(engines)(
  'a next start by a clock that is an hour behind counts as ever, and no row goes back ($name)',
  async (engine) => {
    const before = await startStage(engine);
    const { channel_id } = before;
    const ann = await before.enter('ann');
    before.pass(10 * second);
    await ann.report(10 * second);
    await before.end();
    before.pass(-3_600 * second);
    const after = await startStage(engine, before.service);
    const stage = after.at(channel_id);
    const push = await goLive(stage);
    try {
      // Nobody can tell how long she was away: it is another visit.
      const tabs = [await stage.enter('ann', { resume: ann.welcome.resume })];
      stage.pass(5 * second);
      tabs.push(await stage.enter('ann'), await stage.enter('bob'));
      stage.pass(10 * second);
      for (const tab of tabs) await tab.report(15 * second);
      await stage.recorded('ann', [
        { online_time: '00:00:10', watch_time: '00:00:10' },
        { online_time: '00:00:15', watch_time: '00:00:15' },
        { online_time: '00:00:10', watch_time: '00:00:10' },
      ]);
      await stage.visited('ann', {
        watch_time: '00:00:25',
        visit_times: 3,
        last_online_time: '2026-05-04 12:00:15',
      });
      await stage.visited('bob', { watch_time: '00:00:10', visit_times: 1 });
    } finally {
      await push.end();
      await after.end();
    }
  },
);

/** A channel from before is on air again. */
async function goLive({ service, channel_id }: Stage) {
  const headers = { host: new URL(service.url).host };
  const { body } = await service.call('GET', `/v1/activities/${channel_id}`, { headers });
  const push = await startClipPush(body.rtmp_publish_addr);
  const live = () => isLive(service, channel_id);
  await until(live, { withinMs: 5_000, otherwise: 'it is not live' });
  return push;
}

/** The session that a welcome names; what follows in it is of the service that has it. */
function sessionOf({ resume }: { resume: string }): string {
  return resume.split('.', 1).join();
}
