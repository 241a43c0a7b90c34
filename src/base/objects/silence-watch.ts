// Ends a request on which nothing has come or gone for too long.

export class SilenceWatch {
  private readonly silentMs: number;
  private readonly ending = new AbortController();

  readonly signal: AbortSignal;
  private heardAt = performance.now();
  private timer: Timer | undefined;

  /** `signal`: somebody else may end it too. */
  constructor(silentMs: number, signal?: AbortSignal) {
    this.silentMs = silentMs;
    this.signal = signal ? AbortSignal.any([this.ending.signal, signal]) : this.ending.signal;
    this.look(silentMs);
  }

  heard(): void {
    this.heardAt = performance.now();
  }

  /** It is over: whatever of it is still under way is ended. */
  end(): void {
    clearTimeout(this.timer);
    this.ending.abort();
  }

  private look(inMs: number): void {
    this.timer = setTimeout(() => {
      const leftMs = this.heardAt + this.silentMs - performance.now();
      if (leftMs > 0) this.look(leftMs);
      else this.ending.abort(new DOMException('nothing came or went', 'TimeoutError'));
    }, inMs);
  }
}
