// An S3 store for tests, s3rver on a free port, and a line to it that can be frozen, cut or made to fail.
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Bucket, type BucketOptions } from '../../src/base/objects/bucket.ts';

/** through: as it comes. frozen: taken and never answered. failing: answered 500. */
export type LineMode = 'through' | 'frozen' | 'failing' | 'slow down' | 'full';

export interface BucketStore {
  /** As the settings of a service have it. */
  environment: Record<string, string>;
  bucket: Bucket;
  /** The same past the line, for those who judge. */
  direct: Bucket;
  /** With other options than the usual. */
  open(options: Partial<BucketOptions>): Bucket;
  /** How the line is from now on; what is under way on it is cut. */
  set(mode: LineMode): void;
  /** Every line is cut when so many more bytes have gone to the store. */
  cutAfter(bytes: number): void;
  /** Requests that have come to the line since it was last set. */
  requests(): number;
  /** All keys, without the prefix. */
  keys(): Promise<string[]>;
  stop(): Promise<void>;
}

const refusals: Partial<Record<LineMode, string>> = {
  failing: '500 Internal Server Error',
  'slow down': '503 Slow Down',
  full: '507 Insufficient Storage',
};

export async function startBucketStore(prefix = 'shows/'): Promise<BucketStore> {
  const directory = await mkdtemp(join(tmpdir(), 'footlight-s3-'));
  // By Node, as it lists folders in order, which s3rver counts on.
  const program = Bun.spawn(['node', join(import.meta.dir, 's3-program.mjs'), directory], {
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'inherit',
  });
  const port = await firstNumber(program.stdout);
  const line = await startLine(port);
  const options = (url: string): BucketOptions => ({
    url,
    bucket: 'recordings',
    keyId: 'S3RVER',
    secret: 'S3RVER',
    region: 'us-east-1',
    prefix,
    isHostStyle: false,
    silentMs: 2_000,
  });
  const url = `http://127.0.0.1:${line.port}`;
  const direct = new Bucket(options(`http://127.0.0.1:${port}`));
  return {
    environment: {
      S3_URL: url,
      S3_BUCKET: 'recordings',
      S3_KEY_ID: 'S3RVER',
      S3_SECRET: 'S3RVER',
      S3_PREFIX: prefix,
    },
    bucket: new Bucket(options(url)),
    direct,
    open: (other) => new Bucket({ ...options(url), ...other }),
    set: line.set,
    cutAfter: line.cutAfter,
    requests: line.requests,
    keys: async () => {
      const keys: string[] = [];
      for (let after: string | undefined, isMore = true; isMore; ) {
        const listed = await direct.list('', after);
        keys.push(...listed.objects.map(({ key }) => key));
        after = listed.after;
        isMore = after !== undefined;
      }
      return keys;
    },
    stop: async () => {
      await line.stop();
      program.kill();
      await program.exited;
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function firstNumber(output: ReadableStream<Uint8Array>): Promise<number> {
  for await (const piece of output) return Number(new TextDecoder().decode(piece));
  throw new Error('the S3 store did not start');
}

async function startLine(port: number) {
  const ends = new Set<Socket>();
  let mode: LineMode = 'through';
  let leftBytes = Number.POSITIVE_INFINITY;
  let requests = 0;
  const cut = () => {
    for (const end of ends) end.destroy();
  };
  const keep = (end: Socket) => {
    ends.add(end);
    end.on('error', () => {});
    end.on('close', () => ends.delete(end));
  };
  const server = createServer({ allowHalfOpen: true }, (client) => {
    keep(client);
    const refusal = refusals[mode];
    if (mode === 'frozen') {
      client.on('data', () => {});
      requests += 1;
      return;
    }
    if (refusal !== undefined) {
      client.once('data', () => {
        requests += 1;
        client.end(`HTTP/1.1 ${refusal}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
      });
      client.on('data', () => {});
      return;
    }
    const store = connect({ host: '127.0.0.1', port });
    keep(store);
    client.on('data', (bytes: Buffer) => {
      requests += 1;
      leftBytes -= bytes.length;
      if (leftBytes <= 0) {
        leftBytes = Number.POSITIVE_INFINITY;
        cut();
        return;
      }
      if (!store.write(bytes)) client.pause();
    });
    store.on('drain', () => client.resume());
    store.on('data', (bytes: Buffer) => {
      if (!client.write(bytes)) store.pause();
    });
    client.on('drain', () => store.resume());
    client.on('end', () => store.end());
    store.on('end', () => client.end());
    client.on('close', () => store.destroy());
    store.on('close', () => client.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    set: (next: LineMode) => {
      mode = next;
      requests = 0;
      cut();
    },
    cutAfter: (bytes: number) => {
      leftBytes = bytes;
    },
    requests: () => requests,
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        cut();
      }),
  };
}
