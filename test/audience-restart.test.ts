// The audience across a stop of the service: nothing is lost, and sessions go on with the next one.
import { expect, setDefaultTimeout, test } from 'bun:test';
import { engines } from './support/engines.ts';
import { startStage } from './support/stage.ts';

setDefaultTimeout(30_000);

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
      expect(again.welcome.resume).toBe(watching.welcome.resume);
      stage.pass(11 * second);
      await again.report(0);
      // Seen last more than half a minute ago: too late.
      const late = await stage.enter('silent', { resume: silent.welcome.resume });
      expect(late.welcome.resume).not.toBe(silent.welcome.resume);
      await stage.recorded('watching', [{ online_time: '00:00:21', watch_time: '00:00:10' }]);
      await stage.visited('watching', { watch_time: '00:00:10', visit_times: 1 });
      await stage.visited('silent', { visit_times: 2 });
    } finally {
      await after.end();
    }
  },
);
