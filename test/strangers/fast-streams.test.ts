// HTTP/2 streams that take large answers as fast as they come: they get them, and others are served beside them.
import { expect } from 'bun:test';
import { connect } from 'node:http2';
import { attack } from '../support/attacks/fast-streams.ts';
import { noOpenssl } from '../support/certificate.ts';
import { http2Get } from '../support/http2-get.ts';
import { notLinux, testWith } from '../support/needs.ts';
import { refusalCounts } from '../support/refusal-counts.ts';
import { untilThen } from '../support/rude/rude-sockets.ts';
import { startSecureService } from './secure-service.ts';

testWith(notLinux ?? noOpenssl, 'what others ask for comes whole beside them', async () => {
  const { process, ask, target } = await startSecureService();
  const session = connect(process.url, { rejectUnauthorized: false });
  try {
    const whole = await (await ask('/openapi.json')).text();
    const ending = new AbortController();
    const done = attack
      .run(target, { from: '127.0.0.2', signal: ending.signal })
      .then(() => ending.abort());
    await untilThen(ending.signal, async () => {
      expect((await http2Get(session, '/openapi.json')).body.toString()).toBe(whole);
      expect(await (await ask('/livez')).text()).toBe('ok\n');
    });
    await done;
    const metrics = await (await ask('/metrics')).text();
    // They were given theirs, over and over.
    const [, taken] = /"\/recordings\/:id\/:file",status="200"\} (\d+)/.exec(metrics) ?? [];
    expect(Number(taken)).toBeGreaterThan(100);
    // At its end it leaves what waits.
    const { 'http gone': _, ...refused } = refusalCounts(metrics);
    expect(Object.entries(refused).filter(([, count]) => count > 0)).toEqual([]);
  } finally {
    session.destroy();
    await process.kill();
  }
});
