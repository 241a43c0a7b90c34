// A server that takes pushes, as `bench ingest` sees it.

export interface LiveServerOrder {
  /** Empty; removed by whoever made it. */
  folder: string;
  streams: number;
  /** Whose service is started as `before`. */
  before?: string | undefined;
}

export interface LiveServer {
  pid: number;
  rtmpPort: number;
  /** One for each stream. */
  publishPaths: readonly string[];
  /** Of the first stream. */
  playPath: string;
  /** Of the first stream, where there is low-latency HLS. */
  hls?: { port: number; path: string };
  /** At once, so that nothing is made of what was pushed. */
  kill(): Promise<void>;
}
