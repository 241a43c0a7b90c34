// A body as it is given to Bun: over HTTP/2 in pieces, as what a connection may leave untaken is bounded, in bytes and in time.
import { Counts } from '../../base/lib/counts.ts';
import { networkOf } from '../../base/lib/network.ts';
import type { Peers } from '../../base/peers/peers.ts';
import type { Waiter } from '../../base/turns/fair-queue.ts';
import { Share } from '../../base/turns/share.ts';
import { type Asker, connectionName, isSurelyHttp1 } from './asker.ts';
import type { BunServer } from './bun-handler.ts';
import { type HttpBounds, httpLimits } from './http-limits.ts';
import type { HttpBook } from './http-refusals.ts';
import { PieceTurns } from './piece-turns.ts';

export interface UntakenAnswersOptions {
  /** Whether we speak TLS ourselves: HTTP/2 comes with it. */
  isSecure: boolean;
  asker: Asker;
  peers: Pick<Peers, 'isAllowed'>;
  refusals: HttpBook;
  bounds: Pick<HttpBounds, 'untakenBytesMax' | 'untakenBytesInAllMax' | 'untakenMs'>;
  now: () => number;
}

export type Body = string | Uint8Array<ArrayBuffer> | Blob | ReadableStream<Uint8Array> | null;

/**
 * A connection of HTTP/2 may ask for 256 answers at once and read none. Bun holds each whole, and for a file
 * a descriptor and 256 KB. So larger ones are given in pieces, when Bun asks for the next, and are counted until the last
 * is taken. Bytes that many answers share (a part of a stream) are a Blob: each may keep it when the stream has let go.
 */
export class UntakenAnswers {
  private readonly options: UntakenAnswersOptions;

  /** In blocks. */
  private readonly share: Share;
  private readonly byConnection = new Counts<string>();
  /** Connections that were refused one, until one that they have is over. */
  private readonly full = new Set<string>();
  private readonly open = new Set<UntakenAnswer>();
  /** Answers from memory do not wait for the disk. */
  private readonly turns = {
    file: new PieceTurns(httpLimits.piecesPerTurn),
    memory: new PieceTurns(httpLimits.piecesPerTurn),
  };
  private sweeping: ReturnType<typeof setInterval> | undefined;

  constructor(options: UntakenAnswersOptions) {
    this.options = options;
    this.share = new Share({
      placesMax: Math.floor(options.bounds.untakenBytesInAllMax / blockBytes),
      isAllowed: (network) => options.peers.isAllowed(network),
    });
  }

  /** The body as it is to be sent. */
  bounded(request: Request, server: BunServer, body: Body): Body | 'refused' {
    if (request.method === 'HEAD') return body;
    if (!this.options.isSecure) return inTwoWrites(body);
    const source = sourceOf(body);
    if (!source) return body;
    // Over HTTP/1.1 a connection has one answer.
    if (isSurelyHttp1(request)) return inTwoWrites(body);
    const { name, network } = this.whose(request, server);
    const left = this.byConnection.of(name);
    // One alone may be as large as it is.
    const isTooMuch = left > 0 && left + source.keptBytes > this.options.bounds.untakenBytesMax;
    if (!isTooMuch && !this.share.refusal(network)) return this.give(source, { name, network });
    if (isTooMuch) this.full.add(name);
    this.options.refusals.note('unread', network);
    return 'refused';
  }

  /** Whether an answer was refused to the connection, and none that it has was over since: there is no use in making another. */
  isFull(request: Request, server: BunServer): boolean {
    if (this.full.size === 0) return false;
    const { name, network } = this.whose(request, server);
    if (!this.full.has(name)) return false;
    this.options.refusals.note('unread', network);
    return true;
  }

  /** The network of who asks, and its name on this connection: a proxy's has many. */
  private whose(request: Request, server: BunServer) {
    const peer = server.requestIP(request) ?? { address: '', port: 0 };
    const network = networkOf(this.options.asker.addressOf(request, peer.address));
    return { name: `${connectionName(peer)} ${network}`, network };
  }

  private give(source: Source, whose: { name: string; network: string }): Body {
    const { name, network } = whose;
    // An empty file counts too: what is open has a bound, and with it what waits for a turn.
    const blocks = Math.max(1, Math.ceil(source.heldBytes / blockBytes));
    this.byConnection.add(name, source.keptBytes);
    this.share.take(network, blocks);
    const answer = new UntakenAnswer(source, {
      whose: { network, connection: name },
      turns: this.turns[source.isFile ? 'file' : 'memory'],
      patienceMs: this.options.bounds.untakenMs,
      now: this.options.now,
      onEnd: () => {
        if (!this.open.delete(answer)) return;
        this.byConnection.remove(name, source.keptBytes);
        this.full.delete(name);
        this.share.leave(network, blocks);
      },
    });
    this.open.add(answer);
    this.sweeping ??= setInterval(() => this.sweep(), sweepMs).unref();
    return answer.stream;
  }

  /** Also what Bun has let go of without a word. */
  private sweep(): void {
    const at = this.options.now();
    for (const answer of this.open) {
      if (!answer.isStalled(at)) continue;
      this.options.refusals.note('stalled', answer.whose.network);
      answer.breakOff();
    }
    if (this.open.size > 0) return;
    clearInterval(this.sweeping);
    this.sweeping = undefined;
  }
}

/**
 * Bun sends the head of a long answer that is not ready in the turn of its request in some twenty-five writes, which cost
 * four times as much as the answer; a stream's in one. Only a text is given so: of bytes each answer would have a copy.
 * A body that has ended counts as sent, and a server that stops closes its connection: so the end waits until all is taken.
 */
function inTwoWrites(body: Body): Body {
  if (typeof body !== 'string' || body.length <= httpLimits.smallAnswerBytes) return body;
  return new ReadableStream<Uint8Array>({
    type: 'direct',
    pull: async (controller) => {
      await controller.write(body);
      controller.end();
    },
  });
}

/** What is counted with: small beside the smallest that is. */
const blockBytes = httpLimits.smallAnswerBytes;
const sweepMs = 1_000;

/** A body that is given in pieces. */
interface Source {
  /** What of it is in memory for this answer alone while it waits. */
  heldBytes: number;
  /** What is counted of it for its connection. */
  keptBytes: number;
  isFile?: boolean;
  /** Whether many answers have the same bytes. */
  isShared?: boolean;
  /** The next; undefined at the end. */
  next(): Promise<Uint8Array | undefined> | Uint8Array | undefined;
}

/** Undefined where it may be given as it is. */
function sourceOf(body: Body): Source | undefined {
  const { pieceBytes, smallAnswerBytes, sharedWeight } = httpLimits;
  if (body === null || body instanceof ReadableStream) return undefined;
  if (body instanceof Blob) {
    const next = blobPieces(body);
    const heldBytes = Math.min(body.size, pieceBytes);
    // Only a file has a name; it is read piece by piece.
    const isFile = (body as Blob & { name?: string }).name !== undefined;
    if (isFile) return { heldBytes, keptBytes: heldBytes, isFile, next };
    if (body.size <= smallAnswerBytes) return undefined;
    const keptBytes = heldBytes + Math.ceil(body.size * sharedWeight);
    return { heldBytes, keptBytes, isShared: true, next };
  }
  if (body.length <= smallAnswerBytes) return undefined;
  const isText = typeof body === 'string';
  // A text takes two bytes a character once one of them is not Latin, and the piece that Bun has waits beside it.
  const heldBytes = (isText ? 2 : 1) * body.length + pieceBytes;
  return { heldBytes, keptBytes: heldBytes, next: isText ? textPieces(body) : bytePieces(body) };
}

function blobPieces(blob: Blob): Source['next'] {
  let at = 0;
  return () => {
    const from = at;
    at = Math.min(blob.size, from + httpLimits.pieceBytes);
    return at > from ? blob.slice(from, at).bytes() : undefined;
  };
}

function bytePieces(bytes: Uint8Array): Source['next'] {
  let at = 0;
  return () => {
    const from = at;
    at = Math.min(bytes.length, from + httpLimits.pieceBytes);
    return at > from ? bytes.subarray(from, at) : undefined;
  };
}

/** Many answers may share the text, so that only a piece of it is encoded at a time. */
function textPieces(text: string): Source['next'] {
  const encoder = new TextEncoder();
  let at = 0;
  return () => {
    const from = at;
    at = Math.min(text.length, from + httpLimits.pieceBytes);
    // The two halves of a character stay together.
    if (at < text.length && /[\ud800-\udbff]/.test(text.charAt(at - 1))) at -= 1;
    return at > from ? encoder.encode(text.slice(from, at)) : undefined;
  };
}

class UntakenAnswer {
  readonly whose: Waiter;
  readonly stream: ReadableStream<Uint8Array>;
  private readonly given: {
    turns: PieceTurns;
    /** How long it waits for the next piece to be taken. */
    patienceMs: number;
    now: () => number;
    onEnd(): void;
  };

  /** When the last piece was asked for. */
  private takenAt: number;
  private readonly wholeBy: number;
  private isOver = false;
  private controller: Controller | undefined;

  constructor(source: Source, { whose, ...given }: { whose: Waiter } & UntakenAnswer['given']) {
    this.whose = whose;
    this.given = given;
    this.takenAt = given.now();
    const wholeMs = source.isShared ? httpLimits.sharedPatience * given.patienceMs : Infinity;
    this.wholeBy = this.takenAt + wholeMs;
    this.stream = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.controller = controller;
        },
        pull: (controller) => {
          this.takenAt = given.now();
          return given.turns.run(whose, () => this.give(source, controller));
        },
        cancel: () => this.end(),
      },
      { highWaterMark: 0 },
    );
  }

  isStalled(at: number): boolean {
    return at >= this.takenAt + this.given.patienceMs || at >= this.wholeBy;
  }

  breakOff(): void {
    if (this.isOver) return;
    this.end();
    // Without a reason: Bun would print it beside the log.
    this.controller?.error();
  }

  private async give(source: Source, controller: Controller): Promise<void> {
    if (this.isOver) return;
    try {
      const piece = await source.next();
      if (this.isOver) return;
      if (piece) return controller.enqueue(piece);
      this.end();
      controller.close();
    } catch {
      // The file has gone meanwhile.
      this.breakOff();
    }
  }

  private end(): void {
    this.isOver = true;
    this.given.turns.giveUp(this.whose);
    this.given.onEnd();
  }
}

type Controller = ReadableStreamDefaultController<Uint8Array>;
