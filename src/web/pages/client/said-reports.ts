// What a page has said of its playing in this session: said again to a service that was killed and is back.
import type { Said } from '../../../audience/protocol/messages.ts';

/** A session that was silent for longer is over, and what was said before is nobody's. */
const keptMs = 30_000;

export class SaidReports {
  private session: string | undefined;
  private playedMs = 0;
  private reports: { at: number; played_ms: number }[] = [];

  /** Which session it is now; another one begins with nothing. */
  begin(session: string): void {
    if (session === this.session) return;
    this.session = session;
    this.playedMs = 0;
    this.reports = [];
  }

  add(played_ms: number, at: number): void {
    this.playedMs += played_ms;
    this.reports = this.reports.filter((one) => at - one.at < keptMs);
    this.reports.push({ at, played_ms });
  }

  /** Undefined where there is no session yet. */
  recent(at: number): Said | undefined {
    if (this.session === undefined) return undefined;
    const kept = this.reports.filter((one) => at - one.at < keptMs);
    const reports = kept.map((one) => [Math.round(at - one.at), one.played_ms] as const);
    return { played_ms: this.playedMs, reports };
  }
}
