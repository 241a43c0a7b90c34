// A load process of publishers: each pushes the clip to its own address, over and over, as an encoder would.
import { readFlvFile } from '../../src/stream/formats/flv-file.ts';
import { clipOf, pushClip } from '../../src/stream/rtmp/paced-push.ts';
import { publishTo } from '../../src/stream/rtmp/rtmp-client.ts';
import { runClients } from './load-clients.ts';

export interface PublishersOrder {
  clipFile: string;
  addresses: readonly string[];
  /** From the first client to the last. */
  spreadMs: number;
}

/** Long: a machine that is busy with other things is the bench's trouble, not the server's. */
const timeoutMs = 30_000;

const { clipFile, addresses, spreadMs } = JSON.parse(process.argv[2] ?? '') as PublishersOrder;
const clip = clipOf(readFlvFile(await Bun.file(clipFile).bytes()));

await runClients({
  count: addresses.length,
  spreadMs,
  start: async (client, index) => {
    const publisher = await publishTo(addresses[index] ?? '', { timeoutMs });
    // Not awaited: it never ends, and where it does that is the bench's trouble.
    void pushClip(publisher, clip, {
      loop: true,
      onTag: ({ body, timestampMs }) => {
        client.bytes += body.length;
        client.mediaMs = timestampMs;
        client.answers += 1;
      },
    });
  },
});
