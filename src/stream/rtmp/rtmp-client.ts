// Publishes to an RTMP server, ours or another's, and plays from one.
import { type AmfObject, readAmf, writeAmf } from '../formats/amf.ts';
import { ClientSession, type Target } from './client-session.ts';
import { type KeptMessage, messageType } from './message.ts';
import { type Command, commandMessage, isObject } from './rtmp-command.ts';

export interface ClientOptions {
  /** Cuts the connection, whenever it comes. */
  signal?: AbortSignal;
  /** To connect and to be let in. */
  timeoutMs?: number;
  /** Of what we send. */
  chunkSize?: number;
}

export interface RtmpPublisher {
  send(tag: PublishedTag): void;
  /** Bytes that the socket has not taken; they are bounded, so look at them. */
  readonly waitingBytes: number;
  /** Resolves when the socket has taken everything, or is gone. */
  drained(): Promise<void>;
  /** Ends the push in good order. */
  end(): Promise<void>;
  /** Drops the socket, as a broken line would. */
  cut(): void;
  /** Why the server, the network or we closed it. */
  readonly closed: Promise<string>;
}

/** The body of an FLV tag and its time. */
export interface PublishedTag {
  type: 'audio' | 'video' | 'script';
  timestampMs: number;
  body: Uint8Array;
}

export interface RtmpPlayback {
  /** Nothing is read until `resume`. */
  pause(): void;
  resume(): void;
  close(): void;
  /** Why the server, the network or we closed it. */
  readonly closed: Promise<string>;
}

export interface PlaybackReader {
  media(message: { kind: 'audio' | 'video'; timestamp: number; body: Uint8Array }): void;
  metadata?(values: AmfObject): void;
}

const timeoutMsDefault = 10_000;
const chunkSizeDefault = 65_536;
const portDefault = 1935;
/** What servers call a connection's first stream, should one not say it. */
const firstStreamId = 1;

/** Throws an Error with the server's description where it refuses. */
export async function publishTo(url: string, options: ClientOptions = {}): Promise<RtmpPublisher> {
  const target = targetOf(url);
  const session = new ClientSession(target, () => {});
  const streamId = await within(session, options, async () => {
    session.tell('releaseStream', null, target.name);
    session.tell('FCPublish', null, target.name);
    const id = await createStream(session);
    session.send(commandMessage(id, 'publish', 0, null, target.name, 'live'));
    await session.expect((command) => hasCode(command, 'NetStream.Publish.Start'));
    return id;
  });
  return {
    send({ type, timestampMs, body }) {
      const isScript = type === 'script';
      session.send({
        type: isScript ? messageType.data : messageType[type],
        streamId,
        timestamp: timestampMs,
        // A server keeps what is set so for players that come later.
        body: isScript ? [writeAmf('@setDataFrame'), body] : [body],
      });
    },
    get waitingBytes() {
      return session.waitingBytes;
    },
    drained: () => session.drain(),
    async end() {
      session.tell('FCUnpublish', null, target.name);
      session.tell('deleteStream', null, streamId);
      await session.end('the push is over');
    },
    cut: () => void session.cut('it was cut'),
    closed: session.closed,
  };
}

/** Resolves when the server begins to play; `reader` is called as messages come. */
export async function playFrom(
  url: string,
  reader: PlaybackReader,
  options: ClientOptions = {},
): Promise<RtmpPlayback> {
  const target = targetOf(url);
  const session = new ClientSession(target, (message) => handOver(message, reader));
  await within(session, options, async () => {
    const id = await createStream(session);
    session.send(commandMessage(id, 'play', 0, null, target.name));
    await session.expect((command) => hasCode(command, 'NetStream.Play.Start'));
  });
  return {
    pause: () => session.pause(),
    resume: () => session.resume(),
    close: () => void session.cut('it was closed'),
    closed: session.closed,
  };
}

function targetOf(url: string): Target {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed?.protocol !== 'rtmp:' || parsed.hostname === '') {
    throw new Error('An RTMP address looks like rtmp://HOST/APP/NAME');
  }
  const [, app = '', name = ''] = /^\/([^/]*)\/?(.*)$/.exec(parsed.pathname) ?? [];
  return {
    // An IPv6 address stands in brackets.
    host: parsed.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: parsed.port === '' ? portDefault : Number(parsed.port),
    app,
    name: name + parsed.search,
  };
}

/** Connects and does what is to be done before media can flow, all in one time limit. */
async function within<T>(
  session: ClientSession,
  { signal, timeoutMs = timeoutMsDefault, chunkSize = chunkSizeDefault }: ClientOptions,
  begin: () => Promise<T>,
): Promise<T> {
  const timer = setTimeout(() => session.cut('the server did not answer in time'), timeoutMs);
  const abort = () => void session.cut('it was cut');
  signal?.addEventListener('abort', abort, { once: true });
  session.closed.then(() => signal?.removeEventListener('abort', abort));
  if (signal?.aborted) abort();
  try {
    await session.connect(chunkSize);
    return await begin();
  } finally {
    clearTimeout(timer);
  }
}

async function createStream(session: ClientSession): Promise<number> {
  const [id] = await session.call('createStream', null);
  return typeof id === 'number' ? id : firstStreamId;
}

function hasCode({ name, args }: Command, code: string): boolean {
  const [info] = args;
  return name === 'onStatus' && isObject(info) && info['code'] === code;
}

function handOver({ type, timestamp, body }: KeptMessage, reader: PlaybackReader): void {
  if (type === messageType.audio) reader.media({ kind: 'audio', timestamp, body });
  if (type === messageType.video) reader.media({ kind: 'video', timestamp, body });
  if (type !== messageType.data) return;
  const [name, values = null] = readAmf(body);
  if (name === 'onMetaData' && isObject(values)) reader.metadata?.(values);
}
