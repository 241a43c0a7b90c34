// What each bench tells the service that it starts, beside where its data lies. A limit that a bench raises is raised here.

/** The address callers use: the same for all servers, so that the answers are the same bytes. */
export const benchHost = 'bench.example.com';

export const serviceSettings = {
  api: {
    RTMP_PUBLIC_URL: `rtmp://${benchHost}:1935`,
    // Channels are created as fast as it goes.
    CHANNELS_PER_ACCOUNT: '100000000',
    // One network stands for many callers, whose requests are not counted one by one.
    HTTP_BYTES_PER_SECOND: '64M',
    HTTP_CONNECTS_PER_NETWORK: '100000',
  },
  /** As it comes. */
  start: {},
  // Players come over IPv4 and IPv6.
  ingest: { HOST: '::', MIN_FREE_DISK: '10M', HTTP_CONNECTS_PER_NETWORK: '100000' },
  structure: { MIN_FREE_DISK: '10M' },
  latency: { MIN_FREE_DISK: '10M' },
  // One account has them all.
  ladder: { MIN_FREE_DISK: '10M', LADDER_CORES: '16' },
  nodes: { MIN_FREE_DISK: '10M', HTTP_CONNECTS_PER_NETWORK: '100000' },
  audience: (viewers: number) => ({
    MIN_FREE_DISK: '10M',
    // One network may have half of them, and here is only one.
    AUDIENCE_CONNECTIONS: String(viewers * 2),
    AUDIENCE_ENTRIES_PER_NETWORK: String(viewers * 2),
    HTTP_CONNECTS_PER_NETWORK: String(viewers * 2),
  }),
};
