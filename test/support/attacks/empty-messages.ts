// Empty RTMP messages from strangers: a byte each on the wire, as fast as the socket takes them.
import { messageType } from '../../../src/stream/rtmp/message.ts';
import { connectRudely, emptyMessages, overAndOver, rudeSession } from '../rude/rude-rtmp.ts';
import type { Attack } from './attack.ts';

const forMs = 5_000;
const breathMs = 20;
const clients = 8;
/** About 4 MB a second from each. */
const burstBytes = 262_144;
const burstEveryMs = 62;

export const attack: Attack = {
  name: 'empty-messages',
  sentence: 'eight strangers send 4 MB of one-byte RTMP messages a second each, and come again',
  refusals: ['rtmp stranger'],
  over: 'rtmp',
  run: async ({ rtmpPort }, { from, signal }) => {
    const flood = (type: number) =>
      overAndOver({ signal, forMs, breathMs }, async () => {
        const client = await connectRudely({ port: rtmpPort, from, signal });
        await client.send(rudeSession());
        const burst = emptyMessages(type, burstBytes);
        for (let count = 0; count < 16 && !client.isClosed; count += 1) {
          await client.send(burst);
          await Bun.sleep(burstEveryMs);
        }
        client.cut();
        await client.closed;
      });
    // Sound, control messages that the chunks swallow, and a type that nobody knows.
    const types = [messageType.audio, messageType.acknowledgement, 99];
    await Promise.all(
      Array.from({ length: clients }, (_, at) => flood(types[at % types.length] ?? 99)),
    );
  },
};
