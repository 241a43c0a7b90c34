// Long answers over HTTP/2 that are reset as they begin, by the thousand: others are served beside them, and nothing is left of them.
import { expect, setDefaultTimeout } from 'bun:test';
import { attack } from '../../trial/attacks/left-answers.ts';
import { notLinux, testWith } from '../faults/needs.ts';
import { noOpenssl } from '../support/certificate.ts';
import { startSecureService } from './secure-service.ts';

setDefaultTimeout(180_000);

testWith(notLinux ?? noOpenssl, 'others are answered beside them, and after them', async () => {
  const { process, ask, target } = await startSecureService();
  try {
    const whole = await (await ask('/docs')).text();
    const ending = new AbortController();
    const done = attack
      .run(target, { from: '127.0.0.2', signal: ending.signal })
      .then(() => ending.abort());
    while (!ending.signal.aborted) {
      expect(await (await ask('/livez')).text()).toBe('ok\n');
      expect(await (await ask('/docs')).text()).toBe(whole);
    }
    await done;
    const metrics = await (await ask('/metrics')).text();
    const [, answered] = /"\/docs",status="200"\} (\d+)/.exec(metrics) ?? [];
    expect(Number(answered)).toBeGreaterThan(100);
  } finally {
    await process.kill();
  }
});
