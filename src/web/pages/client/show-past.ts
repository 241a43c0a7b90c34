// What there is of a show that is on, from its beginning: asked for when somebody may want to go back in it.
import { type ShowListEnd, ShowTime } from './show-time.ts';

/** It changes where the encoder was away, or a recording begins; the clock knows the rest. */
const askEveryMs = 10_000;

export class ShowPast {
  /** Of the list of all that is recorded of it. */
  readonly address: string;
  readonly time = new ShowTime();
  private readonly onKnown: () => void;

  private askedAt = Number.NEGATIVE_INFINITY;

  constructor(address: string, onKnown: () => void) {
    this.address = address;
    this.onKnown = onKnown;
  }

  ask(): void {
    const nowMs = performance.now();
    if (nowMs - this.askedAt < askEveryMs) return;
    this.askedAt = nowMs;
    // Where nothing is recorded, or nothing can be asked now, there is no more than the last seconds.
    this.read().catch(() => {});
  }

  private async read(): Promise<void> {
    const answer = await fetch(this.address);
    const end = answer.ok ? endIn(await answer.text()) : undefined;
    if (!end) return;
    this.time.lists(end, performance.now());
    this.onKnown();
  }
}

/** As `show.m3u8` says it. */
export function endIn(playlist: string): ShowListEnd | undefined {
  const [, mediaMs, dateMs] =
    /DATA-ID="footlight\.show-end",VALUE="(\d+) (\d+)"/.exec(playlist) ?? [];
  return mediaMs && dateMs ? { mediaMs: Number(mediaMs), dateMs: Number(dateMs) } : undefined;
}
