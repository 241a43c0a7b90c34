// Fault 17 in its short form; `npm run trial descriptors` is the long one.
import { expect } from 'bun:test';
import { descriptorRounds, memoryRound } from '../../trial/descriptors.ts';
import { engines } from '../support/engines.ts';
import { notLinux, testWith } from '../support/needs.ts';
import { shortly } from '../support/trial.ts';

for (const engine of engines) {
  testWith(
    notLinux,
    `out of descriptors, old connections are served (${engine.name})`,
    async () => {
      const figures = await descriptorRounds({ ...shortly(1), engine });
      expect(figures).toMatchObject({ rounds: 1, served_while_out: 40 });
    },
  );
}

testWith(notLinux, 'large bodies and slow readers leave memory bounded', async () => {
  const figures = await memoryRound(300);
  expect(figures['memory_peak_mb']).toBeLessThan(Number(figures['memory_ceiling_mb']));
});
