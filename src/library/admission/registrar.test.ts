// How many may register, and as whom: with what a flood of strangers could make of the database.
import { afterAll, describe, expect, test } from 'bun:test';
import { engines } from '../../../test/support/engines.ts';
import { newChannel, openTestStore } from '../../../test/support/store.ts';
import { startLog } from '../../base/lib/log.ts';
import { Refusals } from '../../base/peers/refusals.ts';
import { type Admission, channelThing, openToAll } from './admission.ts';
import {
  admissionLimits,
  registrationsOfNetwork,
  registrationsOfSite,
} from './admission-limits.ts';
import { admissionRefusals } from './admission-refusals.ts';
import { Admissions } from './admissions.ts';
import { Registrar } from './registrar.ts';
import type { FormField } from './registration-form.ts';
import { countRegistrations } from './registration-store.ts';

const form: FormField[] = [
  { name: 'name', label: 'Name', kind: 'text', required: true, choices: [] },
];
const log = startLog('silent');
const typed = { name: 'Ada' };

for (const engine of engines)
  describe(engine.name, async () => {
    const store = await openTestStore(engine);
    afterAll(() => store.close());

    async function startDoor() {
      const id = await newChannel(store);
      const thing = channelThing(id);
      const clock = { now: 1_000_000 };
      const now = () => clock.now;
      const refusals = new Refusals({ now, log }).book('admission', admissionRefusals);
      const admissions = new Admissions({
        store,
        secret: 'of the test',
        now,
        monotonicMs: now,
        log,
      });
      const peers = { isAllowed: () => false };
      const registrar = new Registrar({ store, admissions, peers, refusals, now });
      const rule = { ...openToAll, kind: 'form', revision: 'r1', ended: [], form } as const;
      const admission: Admission = {
        ...{ account_id: 1, channel_id: id, thing, setBy: thing },
        rule: { ...rule, ended: [] },
      };
      let viewers = 0;
      const come = (network = '192.0.2.1', viewer_id = `v${viewers++}`) =>
        registrar.register(admission, typed, { network, viewer_id });
      const count = () => countRegistrations(store, { channel_id: id, thing });
      return { id, thing, clock, come, count };
    }

    test('a viewer has one registration, however often they fill the form in', async () => {
      const { come, count } = await startDoor();
      const marks = new Set<string>();
      for (const answer of await Promise.all([1, 2, 3].map(() => come(undefined, 'ada'))))
        if (typeof answer === 'object' && 'pass' in answer) marks.add(answer.pass.mark);
      expect(marks.size).toBe(1);
      expect(await count()).toBe(1);
    });

    test('a network registers as often as it may, and others beside it as before', async () => {
      const { clock, come, count } = await startDoor();
      const { atOnce, everyMs } = registrationsOfNetwork;
      await Promise.all(Array.from({ length: atOnce + 20 }, () => come()));
      expect(await count()).toBe(atOnce);
      expect(await come()).toEqual({ waitMs: everyMs });
      expect(await come('192.0.2.2')).toHaveProperty('pass');
      clock.now += everyMs;
      expect(await come()).toHaveProperty('pass');
      const sites = await startDoor();
      for (let n = 0; n < 600; n += 1) await sites.come(`2001:db8:1:${n.toString(16)}::/64`);
      expect(await sites.count()).toBe(registrationsOfSite.atOnce);
    });

    test('of more than there may be the door says so, until there are fewer', async () => {
      const { id, thing, clock, come } = await startDoor();
      const { registrationsMax, registrationsCountedMs } = admissionLimits;
      expect(await come()).toHaveProperty('pass');
      await store.run(
        `INSERT INTO registrations (channel_id, viewer_id, thing, id, names, answers, registered_at)
         WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < $3)
         SELECT $1, 'x' || n, $2, 'x' || n, '[]', '{}', 0 FROM numbers`,
        [id, thing, registrationsMax],
      );
      // What it counted is still good.
      expect(await come()).toHaveProperty('pass');
      clock.now += registrationsCountedMs;
      expect(await come()).toBe('full');
      await store.run('DELETE FROM registrations WHERE channel_id = $1 AND registered_at = 0', [
        id,
      ]);
      expect(await come()).toBe('full');
      clock.now += registrationsCountedMs;
      expect(await come()).toHaveProperty('pass');
    });
  });
