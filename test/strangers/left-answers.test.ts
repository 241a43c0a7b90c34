// Long answers over HTTP/2 that are reset as they begin, by the thousand: who asks on though it is refused is closed, others are served.
import { expect } from 'bun:test';
import { attack } from '../support/attacks/left-answers.ts';
import { noOpenssl } from '../support/certificate.ts';
import { notLinux, testWith } from '../support/needs.ts';
import { refusalCounts } from '../support/refusal-counts.ts';
import { startSecureService } from './secure-service.ts';

testWith(notLinux ?? noOpenssl, 'they are closed, and others answered beside them', async () => {
  // So that a machine on which everybody is slow refuses some, too.
  const { process, ask, target } = await startSecureService({ HTTP_REQUESTS_WAITING: '100' });
  const ending = new AbortController();
  const { signal } = ending;
  const attacked = (async () => {
    while (!signal.aborted) await attack.run(target, { from: '127.0.0.2', signal });
  })();
  try {
    const whole = await (await ask('/docs')).text();
    const areCounted = async () => {
      const counts = refusalCounts(await (await ask('/metrics')).text());
      return attack.refusals.every((reason) => (counts[reason] ?? 0) > 0);
    };
    while (!(await areCounted())) {
      expect(await (await ask('/livez')).text()).toBe('ok\n');
      expect(await (await ask('/docs')).text()).toBe(whole);
    }
  } finally {
    ending.abort();
    await attacked;
    await process.kill();
  }
});
