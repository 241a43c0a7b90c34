// What a page has said of its playing in this session: said again to a service that was killed and is back.
import type { Said } from '../../../audience/protocol/messages.ts';
import { presenceLimits } from '../../../audience/protocol/page-limits.ts';
import type { Played } from './watch-meter.ts';

/** A flush of the service is as old as a minute, and who is away for half a minute more is over. */
const keptMs = presenceLimits.saidAgainMs;
/** Of a player that flickers, two that are nearer to each other are said as one: so they are 60 at most, and a hello is short. */
const apartMsMin = 1_500;

export class SaidReports {
  private session: string | undefined;
  private playedMs = 0;
  private reports: (Played & { since: number; at: number })[] = [];

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
    this.reports.push({ since: at, at, ...played });
    const [before, last] = this.reports.slice(-3, -1);
    if (!before || !last || last.at - before.since >= apartMsMin) return;
    last.since = before.since;
    last.played_ms += before.played_ms;
    this.reports.splice(-3, 1);
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
