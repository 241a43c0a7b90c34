// RTMP players by the hundred that read nothing, on a heavy channel of the attacker's own.
import { commandMessage } from '../../../src/stream/rtmp/rtmp-command.ts';
import { startHeavyPush } from '../heavy-clip.ts';
import {
  addressBeside,
  connectMessage,
  connectRudely,
  type RudeClient,
  rudeSession,
} from '../rude/rude-rtmp.ts';
import { pause } from '../rude/rude-sockets.ts';
import { type Attack, heavyChannel, type Target } from './attack.ts';

const addresses = 4;
const perAddress = 150;
/** A little longer than a player may read nothing. */
const heldMs = 12_000;

export const attack: Attack = {
  name: 'unread-players',
  sentence: `${addresses * perAddress} RTMP players from ${addresses} addresses that read nothing, on a channel of 25 Mbps`,
  refusals: ['rtmp unread'],
  over: 'rtmp',
  run: async (target, { from, signal }) => {
    const push = await startHeavyPush(target, heavyChannel(target, 0), signal);
    await playUnread(target, { from, signal, addresses, perAddress, heldMs }).finally(push.end);
  },
};

/** In its short form a test says how many. */
export async function playUnread(
  target: Target,
  given: {
    from: string;
    signal: AbortSignal;
    addresses: number;
    perAddress: number;
    heldMs: number;
  },
): Promise<void> {
  const { signal, heldMs } = given;
  const { rtmpPort: port } = target;
  const playId = heavyChannel(target, 0).play_id;
  const playFrom = async (from: string): Promise<RudeClient> => {
    const client = await connectRudely({ port, from, signal, isUnread: true });
    await client.send(
      rudeSession(
        connectMessage('play'),
        commandMessage(0, 'createStream', 2, null),
        commandMessage(1, 'play', 3, null, playId),
      ),
    );
    return client;
  };
  const clients = await Promise.all(
    Array.from({ length: given.addresses * given.perAddress }, (_, at) =>
      playFrom(addressBeside(given.from, at % given.addresses)),
    ),
  );
  await pause(heldMs, signal);
  for (const client of clients) client.cut();
  await Promise.all(clients.map(({ closed }) => closed));
}
