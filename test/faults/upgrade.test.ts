// Fault 20 in its short form; `npm run trial upgrade` is the long one.
import { describe, expect, test } from 'bun:test';
import { killPoints, migrateAtOnce, refuseNewer, upgradeRounds } from '../../trial/upgrade.ts';
import { engines } from '../support/engines.ts';
import { seeded } from '../support/random.ts';
import { shortly } from '../support/trial.ts';

const pointsTried = 6;

for (const engine of engines)
  describe(engine.name, () => {
    test('a migration killed inside a step goes on at the next start', async () => {
      const options = shortly(pointsTried);
      const random = seeded(options.seed);
      const all = killPoints(engine);
      // The last is between a step's statements and its commit, on live data.
      const points = [
        ...Array.from({ length: pointsTried - 1 }, () => random.pick(all)),
        ...all.slice(-1),
      ];
      const figures = await upgradeRounds({ ...options, engine, points });
      expect(figures).toMatchObject({ kill_points: pointsTried, killed: pointsTried });
    });

    test('an older program refuses a newer database and leaves it unchanged', async () => {
      await refuseNewer(engine);
    });

    test('two programs that migrate one database at once both end well', async () => {
      await migrateAtOnce(engine, 2);
    });
  });
