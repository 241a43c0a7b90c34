// What a page has said of its playing in this session: said again to a service that was killed and is back.
import type { Said } from '../../../audience/protocol/messages.ts';
import type { Played } from './watch-meter.ts';

/** A session that was silent for longer is over, and what was said before is nobody's. */
const keptMs = 30_000;

export class SaidReports {
  private session: string | undefined;
  private playedMs = 0;
  private reports: (Played & { at: number })[] = [];

  /** Which session it is now; another one begins with nothing. */
  begin(session: string): void {
    if (session === this.session) return;
    this.session = session;
    this.playedMs = 0;
    this.reports = [];
  }

  add(played: Played, at: number): void {
    this.playedMs += played.played_ms;
    this.reports = this.reports.filter((one) => at - one.at < keptMs);
    this.reports.push({ at, ...played });
  }

  /** Undefined where there is no session yet. */
  recent(at: number): Said | undefined {
    if (this.session === undefined) return undefined;
    const kept = this.reports.filter((one) => at - one.at < keptMs);
    const reports = kept.map(({ at: saidAt, played_ms, shown_at }) => {
      const report = [Math.round(at - saidAt), played_ms] as const;
      return shown_at === undefined ? report : ([...report, shown_at] as const);
    });
    return { played_ms: this.playedMs, reports };
  }
}
