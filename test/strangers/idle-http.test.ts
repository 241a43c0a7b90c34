// Idle HTTP connections of one address beyond what the descriptors allow: others still get in.
import { expect } from 'bun:test';
import { httpRefusals } from '../../src/web/http/http-refusals.ts';
import { attack } from '../support/attacks/idle-http.ts';
import { temporaryFolder } from '../support/engines.ts';
import { notLinux, testWith } from '../support/needs.ts';
import { refusalCounts } from '../support/refusal-counts.ts';
import { openCrowd, openRude, untilThen } from '../support/rude/rude-sockets.ts';
import { startProcess } from '../support/service-process.ts';

const settings = () => ({ DATA_DIR: temporaryFolder(), MIN_FREE_DISK: '10M', LOG_LEVEL: 'warn' });
const target = (url: string) => ({
  port: Number(new URL(url).port),
  rtmpPort: 0,
  token: '',
  channels: [],
  show: { id: 0, play_id: '' },
});

testWith(notLinux, 'with 400 descriptors, 450 idle connections keep nobody out', async () => {
  const wrapper = ['prlimit', '--nofile=400:400'];
  const service = await startProcess(settings(), { wrapper });
  try {
    const ending = new AbortController();
    const attacking = attack.run(target(service.url), { from: '127.0.0.2', signal: ending.signal });
    const { port } = target(service.url);
    let served = 0;
    const done = attacking.then(() => ending.abort());
    await untilThen(ending.signal, async () => {
      const honest = await openRude({
        port,
        from: '127.0.0.3',
        signal: new AbortController().signal,
      });
      honest.write('GET /livez HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
      await honest.closed;
      expect(honest.read()).toStartWith('HTTP/1.1 200 ');
      served += 1;
    });
    await done;
    expect(served).toBeGreaterThan(5);
    const { text } = await service.call('GET', '/metrics');
    expect(refusalCounts(text)['http connections']).toBeGreaterThan(100);
    await service.logged(httpRefusals.connections);
  } finally {
    await service.kill();
  }
});

testWith(notLinux, 'who is busy stays, and an allowed network may have them all', async () => {
  const service = await startProcess({
    ...settings(),
    HTTP_CONNECTIONS: '100',
    TRUSTED_PROXIES: '127.0.0.4',
  });
  const { port } = target(service.url);
  const { signal } = new AbortController();
  try {
    const proxy = await openCrowd({ port, from: '127.0.0.4', signal, count: 80 });
    const [busy] = await openCrowd({ port, from: '127.0.0.2', signal, count: 1 });
    const ask = 'GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n';
    const answered = () => busy?.read().match(/200 OK/g)?.length ?? 0;
    let asked = 0;
    /** One at a time: who sends the next before the answer is closed by the server itself. */
    const askOn = () => {
      if (answered() < asked) return;
      busy?.write(ask);
      asked += 1;
    };
    // From the first moment on: before it asks it is the idlest of all.
    askOn();
    const asking = setInterval(askOn, 10);
    const idle = await openCrowd({ port, from: '127.0.0.2', signal, count: 79 });
    // A network has half of the 20 places that the proxy leaves.
    while (idle.filter((socket) => !socket.isClosed()).length > 9 && !busy?.isClosed())
      await Bun.sleep(10);
    clearInterval(asking);
    while (answered() < asked && !busy?.isClosed()) await Bun.sleep(10);
    expect(busy?.isClosed()).toBe(false);
    expect(proxy.filter((socket) => socket.isClosed())).toEqual([]);
    for (const socket of [...proxy, ...idle]) socket.close();
    busy?.close();
  } finally {
    await service.kill();
  }
});
