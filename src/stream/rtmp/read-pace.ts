// Lets what publishers send gather for a moment, so that several messages cost one read.

/** What it needs of a publisher's socket. */
export interface PacedSocket {
  pause(): void;
  resume(): void;
}

/**
 * A little longer than a picture is shown. Every read wakes the process, and an encoder sends some 75 messages a
 * second: at 20 pushes 30 ms saved a fifth of what they cost and 45 ms an eighth of the rest, for some 20 ms more
 * of latency.
 */
const restMs = 45;

/** With fewer pushes there is little to save, and what they send goes on at once. */
const publishersMin = 4;

export class ReadPace {
  private readonly publishers = new Set<PacedSocket>();
  private readonly resting = new Set<PacedSocket>();
  private timer: ReturnType<typeof setTimeout> | undefined;

  /** This socket's peer publishes from now on. */
  join(socket: PacedSocket): void {
    this.publishers.add(socket);
  }

  leave(socket: PacedSocket): void {
    this.publishers.delete(socket);
    this.resting.delete(socket);
  }

  /** A publisher's socket was read: it may rest until they are all read again. */
  rest(socket: PacedSocket): void {
    if (this.publishers.size < publishersMin) return;
    socket.pause();
    this.resting.add(socket);
    this.timer ??= setTimeout(() => this.wake(), restMs);
  }

  /** Its connection wakes it when it has done what it was given. */
  hold(socket: PacedSocket): void {
    this.resting.delete(socket);
  }

  private wake(): void {
    this.timer = undefined;
    for (const socket of this.resting) socket.resume();
    this.resting.clear();
  }
}
