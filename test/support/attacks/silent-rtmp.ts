// Silent RTMP connections from many addresses, more than there are places, some of them after a handshake.
import { addressBeside, connectRudely, type RudeClient, rudeSession } from '../rude/rude-rtmp.ts';
import type { Attack } from './attack.ts';

const addresses = 32;
const perAddress = 64;
const forMs = 5_000;
/** How many an address opens at once: the system's queue of new connections is short. */
const atOnce = 8;

export const attack: Attack = {
  name: 'silent-rtmp',
  sentence: 'silent RTMP connections from 32 addresses want more places than there are',
  refusals: ['rtmp crowded'],
  over: 'rtmp',
  run: ({ rtmpPort }, { from, signal }) =>
    waitSilently({ port: rtmpPort, from, signal, addresses, perAddress, forMs }),
};

/** In its short form a test says how many. */
export async function waitSilently(given: {
  port: number;
  from: string;
  signal: AbortSignal;
  addresses: number;
  perAddress: number;
  forMs: number;
}): Promise<void> {
  const { port, signal, forMs } = given;
  const over = AbortSignal.any([signal, AbortSignal.timeout(forMs)]);
  const waitFrom = async (from: string) => {
    const clients: RudeClient[] = [];
    const open = async (_: unknown, at: number) => {
      const client = await connectRudely({ port, from, signal: over });
      if (at % 2 === 0) await client.send(rudeSession());
      clients.push(client);
    };
    while (clients.length < given.perAddress && !over.aborted)
      await Promise.all(Array.from({ length: atOnce }, open));
    await Promise.all(clients.map(({ closed }) => closed));
  };
  await Promise.all(
    Array.from({ length: given.addresses }, (_, at) => waitFrom(addressBeside(given.from, at))),
  );
}
