// Bodies in chunks of a byte: they are read as any others, and whoever asks beside them is answered.
import { afterAll, expect, test } from 'bun:test';
import { attack } from '../support/attacks/one-byte-chunks.ts';
import { openRude, type RudeSocket, untilThen } from '../support/rude/rude-sockets.ts';
import { startAttackedService } from './attacked-service.ts';

const { service, target, refused } = await startAttackedService({});
afterAll(() => service.stop());

test('beside them others read and write', async () => {
  const ending = new AbortController();
  const given = { from: '127.0.0.2', signal: ending.signal };
  const done = attack.run(target, given).then(() => ending.abort());
  const body = { name: 'beside' };
  await untilThen(ending.signal, async () => {
    expect((await service.call('POST', '/v1/activities', { body })).status).toBe(200);
  });
  await done;
});

test('one that is a channel makes it', async () => {
  const header = 'Connection: close\r\n';
  const socket = await post([...'{"name":"in chunks"}'], { from: '127.0.0.3', header });
  await socket.closed;
  expect(socket.read()).toContain('"name":"in chunks"');
});

test('one that is too long is told so, cut and counted', async () => {
  const before = await refused('http', 'body');
  const socket = await post(Array(100_000).fill(' '), { from: '127.0.0.4' });
  await socket.closed;
  expect(socket.read()).toContain('"code":413001');
  expect(socket.read().match(/^connection:.*$/gim)).toEqual(['Connection: close']);
  expect(await refused('http', 'body')).toBe(before + 1);
});

async function post(
  characters: readonly string[],
  { from, header = '' }: { from: string; header?: string },
): Promise<RudeSocket> {
  const { signal } = new AbortController();
  const { port, token } = target;
  const socket = await openRude({ port, from, signal });
  const chunks = characters.map((character) => `1\r\n${character}\r\n`).join('');
  const head = `POST /v1/activities HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\nTransfer-Encoding: chunked\r\n${header}\r\n`;
  socket.write(`${head}${chunks}0\r\n\r\n`);
  return socket;
}
