// What an operator sees of who is refused, and how a network is allowed more: the command line beside a running service.
import { afterAll, describe, expect, test } from 'bun:test';
import { publishTo } from '../src/stream/rtmp/rtmp-client.ts';
import { engines } from './support/engines.ts';
import { until } from './support/live-channel.ts';
import { startTestService } from './support/service.ts';
import { runTyped as run } from './support/typed-line.ts';

for (const engine of engines) {
  describe(engine.name, async () => {
    // The command line goes by the machine's own clock.
    const service = await startTestService(engine, { now: Date.now() });
    const { settings } = service;
    afterAll(() => service.stop());

    test('who is refused is shown with the reason, how often and since when', async () => {
      const wrong = `rtmp://127.0.0.1:${service.rtmpPort}/live/wrong`;
      await expect(publishTo(wrong)).rejects.toThrow('No channel has this publish key');
      const shown = async () => {
        const { out, lines } = await run(settings, 'refusals');
        return out === '' ? [] : lines();
      };
      await until(async () => (await shown()).length > 0, {
        withinMs: 20_000,
        otherwise: 'no refusal was shown',
      });
      const [refusal] = await shown();
      expect(refusal).toEqual({
        kind: 'rtmp',
        reason: 'key',
        sentence: expect.stringMatching(/key/),
        who: '127.0.0.1',
        count: 1,
        first_at: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
        last_at: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
      });
    });

    test('a network is allowed, listed and removed', async () => {
      const allowed = await run(settings, 'network', 'allow', '192.0.2.0/24', '--note', 'the hall');
      expect(allowed.lines()).toEqual([{ network: '192.0.2.0/24', note: 'the hall' }]);
      const [listed] = (await run(settings, 'network', 'list')).lines();
      expect(listed).toMatchObject({ network: '192.0.2.0/24', note: 'the hall' });
      expect((await run(settings, 'network', 'remove', '192.0.2.0/24')).code).toBe(0);
      const again = await run(settings, 'network', 'remove', '192.0.2.0/24');
      expect([again.code, again.err]).toEqual([3, expect.stringContaining('is not allowed')]);
    });

    test.each([
      [['network', 'allow'], 'the network must be given'],
      [['network', 'allow', 'the hall'], 'must be such as 192.0.2.7'],
      [['network', 'allow', '192.0.2.0/99'], 'must be such as 192.0.2.7'],
      [['network', 'allow', '192.0.2.1,192.0.2.2'], 'one network at a time'],
      [['refusals', 'all'], 'one word too many'],
    ])('%j is answered with what was wanted', async (words, wanted) => {
      const { code, err } = await run(settings, ...words);
      expect([code, err]).toEqual([2, expect.stringContaining(wanted)]);
    });
  });
}
