// A load process of low-latency HLS viewers of one stream: they ask for what hls.js asks for, as it does.
import { KeptConnection } from './kept-connection.ts';
import { type LoadClient, runClients } from './load-clients.ts';

export interface HlsViewersOrder {
  port: number;
  /** Of the stream's folder: `/hls/PLAYID`. */
  path: string;
  count: number;
  /** From the first client to the last. */
  spreadMs: number;
}

const { port, path, count, spreadMs } = JSON.parse(process.argv[2] ?? '') as HlsViewersOrder;

await runClients({
  count,
  spreadMs,
  start: async (client) => {
    // A browser keeps both open: the next reload waits while the part is fetched.
    const playlists = await KeptConnection.open(port);
    const parts = await KeptConnection.open(port);
    const first = readPlaylist(await playlists.get(`${path}/live.m3u8`));
    void watch({ client, playlists, parts, first });
  },
});

interface Listed {
  /** Parts, oldest first. */
  parts: readonly { name: string; durationMs: number }[];
  /** The one that comes next. */
  next: { sequence: string; part: string };
}

/** Reloads the playlist as soon as it has come, and fetches every part it brings. */
async function watch(viewer: {
  client: LoadClient;
  playlists: KeptConnection;
  parts: KeptConnection;
  first: Listed;
}): Promise<void> {
  const { client, playlists, parts } = viewer;
  let listed = viewer.first;
  let fetching = Promise.resolve();
  for (;;) {
    const { sequence, part } = listed.next;
    const wanted = `${sequence}.${part}.m4s`;
    const query = `_HLS_msn=${sequence}&_HLS_part=${part}`;
    const text = await playlists.get(`${path}/live.m3u8?${query}`);
    client.bytes += text.length;
    client.answers += 1;
    listed = readPlaylist(text);
    const from = listed.parts.findIndex(({ name }) => name === wanted);
    if (from < 0) throw new Error('a playlist lacks the part that was waited for');
    const came = listed.parts.slice(from);
    fetching = fetching.then(async () => {
      for (const { name, durationMs } of came) {
        client.bytes += (await parts.get(`${path}/${name}`)).length;
        client.answers += 1;
        client.mediaMs += durationMs;
      }
    });
  }
}

function readPlaylist(gzipped: Uint8Array): Listed {
  const text = Buffer.from(Bun.gunzipSync(new Uint8Array(gzipped))).toString('latin1');
  const parts = text.matchAll(/#EXT-X-PART:DURATION=([\d.]+),URI="([^"]+)"/g);
  const [, sequence = '', part = ''] = /PRELOAD-HINT:.*URI="(\d+)\.(\d+)\.m4s"/.exec(text) ?? [];
  return {
    parts: [...parts].map(([, seconds, name = '']) => ({
      name,
      durationMs: Number(seconds) * 1000,
    })),
    next: { sequence, part },
  };
}
