// A store while the service starts: "not now" is asked again, and after the start it is an answer.
import { describe, expect, test } from 'bun:test';
import { engines } from '../../test/support/engines.ts';
import { openTestStore } from '../../test/support/store.ts';
import { unavailable } from '../lib/errors.ts';
import { callsThrough } from './calls-through.ts';
import { patientStore } from './patient-store.ts';
import { probe } from './probe.ts';

for (const engine of engines) {
  describe(engine.name, () => {
    /** Its first calls are refused. */
    const refusing = async (count: number) => {
      const open = await openTestStore(engine);
      let left = count;
      const store = callsThrough(open, (call) => {
        left -= 1;
        if (left >= 0) throw unavailable('not now');
        return call();
      });
      return { store, asked: () => count - left };
    };

    test('a call that is refused for now is made again until it is answered', async () => {
      const { store, asked } = await refusing(2);
      const patient = patientStore(store, { patientMs: 600_000 });
      expect(await patient.one('SELECT CAST($1 AS BIGINT) AS n', [1])).toEqual({ n: 1 });
      expect(asked()).toBe(3);
      await patient.perform(probe, { now: 7 });
      expect(asked()).toBe(4);
    });

    test('what is wrong is said at once, and so is everything after the start', async () => {
      const { store, asked } = await refusing(1);
      const patient = patientStore(await openTestStore(engine), { patientMs: 600_000 });
      await expect((async () => await patient.one('SELECT nothing'))()).rejects.toThrow('nothing');
      const hurried = patientStore(store, { patientMs: 600_000 });
      hurried.hurry();
      await expect(hurried.perform(probe, { now: 7 })).rejects.toThrow('not now');
      expect(asked()).toBe(1);
    });

    test('a start is not patient for ever', async () => {
      const { store, asked } = await refusing(1_000);
      const patient = patientStore(store, { patientMs: 300 });
      await expect(patient.perform(probe, { now: 7 })).rejects.toThrow('not now');
      expect(asked()).toBeLessThan(4);
    });
  });
}
