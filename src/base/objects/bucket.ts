// A bucket of an S3 store: objects put, read by ranges, listed and removed, each within a deadline.
import { S3Client } from 'bun';
import { bucketLimits } from './bucket-limits.ts';
import { BucketError, problemOfAnswer, problemOfThrown } from './bucket-problem.ts';
import { checkedKey } from './object-key.ts';
import { SilenceWatch } from './silence-watch.ts';

export interface BucketOptions {
  /** Where the store answers. */
  url: string;
  bucket: string;
  keyId: string;
  secret: string;
  region: string;
  /** Before every key; empty or with a slash at its end. */
  prefix: string;
  /** Whether the bucket is a name before the host, and not the first part of the path. */
  isHostStyle: boolean;
  /** For how long nothing may come or go. */
  silentMs?: number;
}

/** A stretch of a file on the disk. */
export interface FileStretch {
  path: string;
  at: number;
  size: number;
}

/** The first and the last byte. */
export interface ObjectRange {
  from: number;
  to: number;
}

export interface ListedObject {
  /** Without the prefix. */
  key: string;
  size: number;
  changedAt: number;
}

export interface Listed {
  objects: ListedObject[];
  /** Where the next look goes on; undefined where this was the last. */
  after: string | undefined;
}

/**
 * Addresses are signed by the runtime's own client and asked for with `fetch`: its `write` has no deadline, and may
 * happen after it was given up. Listing, which changes nothing, is its own.
 */
export class Bucket {
  private readonly options: BucketOptions;
  private readonly client: S3Client;
  private readonly silentMs: number;

  constructor(options: BucketOptions) {
    this.options = options;
    this.silentMs = options.silentMs ?? bucketLimits.silentMs;
    this.client = new S3Client({
      endpoint: options.url,
      bucket: options.bucket,
      accessKeyId: options.keyId,
      secretAccessKey: options.secret,
      region: options.region,
      virtualHostedStyle: options.isHostStyle,
    });
  }

  /** For people: the store and the bucket in it, no secret. */
  get name(): string {
    return `${this.options.url}/${this.options.bucket}`;
  }

  async put(key: string, bytes: Uint8Array<ArrayBuffer>, signal?: AbortSignal): Promise<void> {
    await this.send(key, { size: bytes.length, body: stream([bytes]) }, signal);
  }

  /** Handed on piece by piece: memory does not depend on its size. */
  async putFile(key: string, { path, at, size }: FileStretch, signal?: AbortSignal): Promise<void> {
    const source = Bun.file(path).slice(at, at + size);
    await this.send(key, { size, body: stream(source.stream()) }, signal);
  }

  /**
   * The bytes, a range of some hundred KB after the other, each asked for when the last was taken: what comes of an answer
   * that nobody reads on, the runtime keeps without a bound.
   */
  async *read(key: string, { from, to }: ObjectRange, signal?: AbortSignal) {
    for (let at = from; at <= to; at += bucketLimits.rangeBytes)
      yield await this.range(
        key,
        { from: at, to: Math.min(to, at + bucketLimits.rangeBytes - 1) },
        signal,
      );
  }

  /** Of a small one, whole; throws where it has more than `bytesMax`. */
  async bytes(key: string, bytesMax: number): Promise<Uint8Array<ArrayBuffer>> {
    return await this.taken(key, { bytesMax });
  }

  private async range(key: string, range: ObjectRange, signal: AbortSignal | undefined) {
    const bytesMax = range.to - range.from + 1;
    const headers = { range: `bytes=${range.from}-${range.to}` };
    const bytes = await this.taken(key, { bytesMax, headers, ...(signal && { signal }) });
    if (bytes.length === bytesMax) return bytes;
    throw new BucketError('away', `${bytes.length} of ${bytesMax} bytes came`, `GET ${key}`);
  }

  private async taken(
    key: string,
    given: { bytesMax: number; headers?: Record<string, string>; signal?: AbortSignal },
  ): Promise<Uint8Array<ArrayBuffer>> {
    checkedKey(key);
    const watch = new SilenceWatch(this.silentMs, given.signal);
    const pieces: Uint8Array[] = [];
    let size = 0;
    try {
      const { headers } = given;
      const answer = await this.ask('GET', key, { watch, ...(headers && { headers }) });
      for await (const piece of answer.body ?? []) {
        watch.heard();
        size += piece.length;
        if (size > given.bytesMax) break;
        pieces.push(piece);
      }
    } catch (error) {
      throw problemOfThrown(error, `GET ${key}`);
    } finally {
      watch.end();
    }
    if (size > given.bytesMax)
      throw new BucketError('refused', `more than ${given.bytesMax} bytes`, `GET ${key}`);
    return Buffer.concat(pieces);
  }

  /** How many bytes it has; undefined where it is not there. */
  async size(key: string): Promise<number | undefined> {
    checkedKey(key);
    const watch = new SilenceWatch(this.silentMs);
    try {
      const answer = await this.ask('HEAD', key, { watch });
      return Number(answer.headers.get('content-length'));
    } catch (error) {
      const problem = problemOfThrown(error, `HEAD ${key}`);
      if (problem.reason === 'missing') return undefined;
      throw problem;
    } finally {
      watch.end();
    }
  }

  /** Those that are not there are as removed as the others. */
  async remove(keys: readonly string[]): Promise<void> {
    const left = [...keys];
    const some = async () => {
      for (let key = left.pop(); key !== undefined; key = left.pop()) await this.removeOne(key);
    };
    const atOnce = Math.min(bucketLimits.removedAtOnce, left.length);
    await Promise.all(Array.from({ length: atOnce }, some));
  }

  /** By the start of their keys, which need not be whole parts, in the order of the keys. */
  async list(start: string, after?: string, max: number = bucketLimits.listedMax): Promise<Listed> {
    const { prefix } = this.options;
    const silence = Promise.withResolvers<never>();
    const timer = setTimeout(
      () => silence.reject(new BucketError('away', 'deadline', `LIST ${start}`)),
      this.silentMs,
    );
    try {
      const listing = this.client.list({
        prefix: prefix + start,
        maxKeys: max,
        ...(after !== undefined && { startAfter: prefix + after }),
      });
      // Should it be given up, nobody hears what becomes of it.
      listing.catch(() => {});
      const { contents = [], isTruncated } = await Promise.race([listing, silence.promise]);
      const objects = contents.map(({ key, size, lastModified }) => ({
        key: key.slice(prefix.length),
        size: Number(size ?? 0),
        changedAt: Date.parse(String(lastModified ?? '')),
      }));
      return { objects, after: isTruncated ? objects.at(-1)?.key : undefined };
    } catch (error) {
      throw problemOfThrown(error, `LIST ${start}`);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Where somebody without our secret can read it, for a while. */
  signedAddress(key: string, seconds: number): string {
    return this.addressOf('GET', checkedKey(key), seconds);
  }

  /** Stores answer 5xx where many are removed at once, and want to be asked again. */
  private async removeOne(key: string): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      const problem = await this.triedRemoval(key);
      if (!problem) return;
      if (problem.reason !== 'away' || tries >= bucketLimits.removalTries) throw problem;
      await Bun.sleep(tries * bucketLimits.removalWaitMs);
    }
  }

  private async triedRemoval(key: string): Promise<BucketError | undefined> {
    checkedKey(key);
    const watch = new SilenceWatch(this.silentMs);
    try {
      await this.ask('DELETE', key, { watch });
      return undefined;
    } catch (error) {
      const problem = problemOfThrown(error, `DELETE ${key}`);
      return problem.reason === 'missing' ? undefined : problem;
    } finally {
      watch.end();
    }
  }

  private async send(
    key: string,
    { size, body }: { size: number; body: AsyncIterable<Uint8Array> },
    signal: AbortSignal | undefined,
  ): Promise<void> {
    checkedKey(key);
    const watch = new SilenceWatch(this.silentMs, signal);
    try {
      const headers = { 'content-length': String(size) };
      await this.ask('PUT', key, { watch, headers, body: watched(body, watch) });
    } catch (error) {
      throw problemOfThrown(error, `PUT ${key}`);
    } finally {
      watch.end();
    }
  }

  /** An answer of success; everything else is thrown. */
  private async ask(
    method: 'GET' | 'HEAD' | 'PUT' | 'DELETE',
    key: string,
    {
      watch,
      headers,
      body,
    }: { watch: SilenceWatch; headers?: Record<string, string>; body?: ReadableStream<Uint8Array> },
  ): Promise<Response> {
    const answer = await fetch(this.addressOf(method, key, bucketLimits.signedSeconds), {
      method,
      // What is stored is what is read, whatever stands between.
      redirect: 'manual',
      decompress: false,
      signal: watch.signal,
      ...(headers && { headers }),
      ...(body && { body }),
    });
    watch.heard();
    const isWhole = method !== 'GET' || headers?.['range'] === undefined || answer.status === 206;
    if (answer.ok && isWhole) return answer;
    const code = codeIn(method === 'HEAD' ? '' : await firstText(answer));
    throw problemOfAnswer(answer.ok ? 501 : answer.status, code, `${method} ${key}`);
  }

  private addressOf(method: 'GET' | 'HEAD' | 'PUT' | 'DELETE', key: string, seconds: number) {
    return this.client.presign(this.options.prefix + key, { method, expiresIn: seconds });
  }
}

async function* stream(pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>) {
  for await (const piece of pieces) {
    for (let at = 0; at < piece.length; at += bucketLimits.pieceBytes)
      yield piece.subarray(at, at + bucketLimits.pieceBytes);
  }
}

/** Each piece that is asked for is a sign of life. */
function watched(pieces: AsyncIterable<Uint8Array>, watch: SilenceWatch) {
  const iterator = pieces[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      watch.heard();
      const { done, value } = await iterator.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: async () => void (await iterator.return?.()),
  });
}

/** As the store names it (`<Code>NoSuchKey</Code>`); empty where it names nothing. */
function codeIn(text: string): string {
  return /<Code>([A-Za-z0-9]{1,64})<\/Code>/.exec(text)?.[1] ?? '';
}

async function firstText(answer: Response): Promise<string> {
  let text = '';
  const reading = new TextDecoder();
  for await (const piece of answer.body ?? []) {
    text += reading.decode(piece, { stream: true });
    if (text.length >= bucketLimits.problemBytesMax) break;
  }
  return text;
}
