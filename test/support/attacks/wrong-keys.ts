// Wrong publish keys from one address, each over a connection of its own.
import {
  connectMessage,
  connectRudely,
  overAndOver,
  publishMessage,
  rudeSession,
} from '../rude/rude-rtmp.ts';
import type { Attack } from './attack.ts';

const forMs = 5_000;
const breathMs = 10;
const clients = 100;

export const attack: Attack = {
  name: 'wrong-keys',
  sentence: 'a hundred connections from one address try wrong publish keys without a pause',
  refusals: ['rtmp key'],
  over: 'rtmp',
  run: async ({ rtmpPort }, { from, signal }) => {
    let tries = 0;
    const guess = async () => {
      const client = await connectRudely({ port: rtmpPort, from, signal });
      tries += 1;
      await client.send(rudeSession(connectMessage(), publishMessage(`guess ${tries}`)));
      await client.closed;
    };
    await Promise.all(
      Array.from({ length: clients }, () => overAndOver({ signal, forMs, breathMs }, guess)),
    );
  },
};
