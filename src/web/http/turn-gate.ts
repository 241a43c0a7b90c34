// When a request is begun: at once, or where its turn of the event loop is full, in a later one.
import { networkOf } from '../../base/lib/network.ts';
import type { Peers } from '../../base/peers/peers.ts';
import { FairQueue, type Waiter } from '../../base/turns/fair-queue.ts';
import { Share } from '../../base/turns/share.ts';
import { type Asker, connectionName } from './asker.ts';
import type { Border, BusyForm } from './border.ts';
import type { BunHandler, BunServer } from './bun-handler.ts';
import type { BytesWatch } from './bytes-watch.ts';
import { type HttpBounds, httpLimits } from './http-limits.ts';
import type { HttpBook } from './http-refusals.ts';

/** The same handler behind the gate. */
export function gated<T extends Request>(
  handle: Handler<T>,
  { gate, border, bytes, form }: Behind,
): Handler<T> {
  return (request, server) => {
    bytes.began(request, server);
    const admission = gate.enter(request, server);
    if (!admission) return handle(request, server);
    return admission.then((told) =>
      told === 'begin' ? handle(request, server) : border.busyAnswer(request, { form }),
    );
  };
}

interface Behind {
  gate: TurnGate;
  border: Border;
  bytes: Pick<BytesWatch, 'began'>;
  form: BusyForm;
}

type Handler<T extends Request> = (request: T, server: BunServer) => ReturnType<BunHandler>;

export interface TurnGateOptions {
  asker: Asker;
  peers: Pick<Peers, 'isAllowed'>;
  refusals: HttpBook;
  bounds: Pick<HttpBounds, 'waitingMax'>;
  bytes: Pick<BytesWatch, 'gaveUp' | 'refused'>;
  /** How long requests of one turn are begun. */
  turnMs?: number;
}

/** `gone`: whoever asked has left, or was closed by Bun for sending another request behind one that waits. */
export type Admission = 'begin' | 'gone' | 'refused';

interface Waiting extends Waiter {
  connection: string;
  request: Request;
  begin(admission: Admission): void;
}

/**
 * Bun gives us every request of one read in one turn, and of every socket that can be read. What comes after `turnMs`
 * waits for the next turns, which begin some for `laterMs`; networks take turns, and everything else comes in between.
 * Behind a request of HTTP/1.1 that waits Bun reads no more: at the next one it closes the connection.
 */
export class TurnGate {
  private readonly options: TurnGateOptions;
  private readonly turnMs: number;

  private startedAt = 0;
  private isWatched = false;
  private readonly queue = new FairQueue<Waiting>();
  private readonly share: Share;

  constructor(options: TurnGateOptions) {
    this.options = options;
    this.turnMs = options.turnMs ?? httpLimits.turnMs;
    const { bounds, peers } = options;
    this.share = new Share({
      placesMax: bounds.waitingMax,
      isAllowed: (network) => peers.isAllowed(network),
    });
  }

  /** Undefined: it may begin at once. */
  enter(request: Request, server: BunServer): Promise<Admission> | undefined {
    if (!this.isWatched) this.watch();
    else if (performance.now() - this.startedAt >= this.turnMs) return this.wait(request, server);
    return this.queue.size === 0 ? undefined : this.wait(request, server);
  }

  /** Where a turn ends only the event loop knows. */
  private watch(): void {
    this.isWatched = true;
    this.startedAt = performance.now();
    setImmediate(this.turn);
  }

  private readonly turn = async () => {
    this.startedAt = performance.now();
    let at = this.startedAt;
    let together = 1;
    while (this.queue.size > 0 && at - this.startedAt < httpLimits.laterMs) {
      for (let left = together; left > 0 && this.queue.size > 0; left -= 1) this.beginNext();
      await workDone();
      const tookMs = performance.now() - at;
      at += tookMs;
      together = tookMs < quickMs ? Math.min(2 * together, togetherMax) : 1;
    }
    this.isWatched = this.queue.size > 0;
    if (this.isWatched) setImmediate(this.turn);
  };

  /** Whoever asked may have gone. */
  private beginNext(): void {
    const next = this.queue.take();
    if (!next) return;
    const { network, request, begin } = next;
    this.share.leave(network);
    const isGone = request.signal.aborted;
    begin(isGone ? 'gone' : 'begin');
    if (isGone) this.noteGone(next);
  }

  private noteGone({ network, connection }: Waiting): void {
    const { refusals, bytes } = this.options;
    refusals.note('gone', network);
    bytes.gaveUp(connection);
  }

  private wait(request: Request, server: BunServer): Promise<Admission> {
    const { asker, refusals, bytes } = this.options;
    const peer = server.requestIP(request);
    const network = networkOf(asker.addressOf(request, peer?.address ?? ''));
    const refusal = this.share.refusal(network);
    if (refusal) {
      refusals.note(refusal === 'full' ? 'busy' : 'busy_network', network);
      if (peer) bytes.refused(peer);
      return Promise.resolve('refused');
    }
    this.share.take(network);
    // To look at the signal now is what makes Bun tell it later.
    void request.signal.aborted;
    const connection = connectionName(peer ?? { address: '', port: 0 });
    return new Promise((begin) => this.queue.add({ network, connection, request, begin }));
  }
}

/** Where those begun together took less than this, twice as many are the next time: most cost less than it is to look. */
const quickMs = 0.25;
const togetherMax = 4;

/** Awaits between a handler's beginning and its work, and more: none of them leaves the turn. */
const awaitsBeforeWork = 20;

/** Resolves when what was begun has done its work, or waits for something outside. */
async function workDone(): Promise<void> {
  for (let at = 0; at < awaitsBeforeWork; at += 1) await undefined;
}
