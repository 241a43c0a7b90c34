// Thousands of TLS hellos a second that nobody goes on with: each costs the service a signature, and the rude peer nothing.
import { createServer } from 'node:net';
import { connect } from 'node:tls';
import { floodConnects } from '../rude/many-connects.ts';
import type { Attack } from './attack.ts';

export const attack: Attack = {
  name: 'hello-flood',
  sentence: '4,000 TLS hellos a second from 4 addresses, each the same, that nobody goes on with',
  refusals: ['http dropped'],
  over: 'https',
  run: async ({ port }, given) =>
    floodConnects({ ...given, port, hello: await recordedHello(), ...size }),
};

const size = { addresses: 4, perSecond: 4_000, forMs: 10_000 };

/** What a client of TLS begins with. */
export async function recordedHello(): Promise<Uint8Array> {
  const heard = Promise.withResolvers<Uint8Array>();
  const server = createServer((socket) => socket.once('data', heard.resolve));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  const client = connect({ host: '127.0.0.1', port, ALPNProtocols: ['h2'] });
  client.on('error', () => {});
  const hello = await heard.promise;
  client.destroy();
  server.close();
  return hello;
}
