// A load process of RTMP players of one stream: they read and count, and show nothing.
import { playFrom } from '../../src/stream/rtmp/rtmp-client.ts';
import { runClients } from './load-clients.ts';

export interface RtmpPlayersOrder {
  /** Of the same stream; players take them in turn. */
  addresses: readonly string[];
  count: number;
  /** From the first client to the last. */
  spreadMs: number;
}

const { addresses, count, spreadMs } = JSON.parse(process.argv[2] ?? '') as RtmpPlayersOrder;

await runClients({
  count,
  spreadMs,
  start: async (client, index) => {
    const playback = await playFrom(addresses[index % addresses.length] ?? '', {
      media: ({ timestamp, body }) => {
        client.bytes += body.length;
        client.mediaMs = timestamp;
        client.answers += 1;
      },
    });
    playback.closed.then((reason) => {
      throw new Error(`a player was ended: ${reason}`);
    });
  },
});
