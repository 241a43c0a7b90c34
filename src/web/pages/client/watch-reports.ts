// Tells the service what the player plays: at once when it changes, and with every beat.
import type { PageMessage, Said, Welcome } from '../../../audience/protocol/messages.ts';
import type { Player } from './player.ts';
import { SaidReports } from './said-reports.ts';
import { WatchMeter } from './watch-meter.ts';

export interface ReportsOptions {
  player: Pick<Player, 'media' | 'kind' | 'shownAt'>;
  /** Whether it was sent. */
  send(message: PageMessage): boolean;
}

/** A player that flickers between playing and waiting does not flood the service, which would close. */
const reportEveryMsMin = 1_000;
/** Beats are driven by the media, which hidden pages do not slow down; this is for a player that stands still. */
const sampleEveryMs = 1_000;

export class WatchReports {
  private readonly options: ReportsOptions;
  private readonly meter = new WatchMeter();
  private readonly reports = new SaidReports();

  /** The page is not connected, so nobody would hear a report. */
  private isLost = true;
  private beatMs = Number.POSITIVE_INFINITY;
  private reportedAt = Number.NEGATIVE_INFINITY;
  private soon: ReturnType<typeof setTimeout> | undefined;

  constructor(options: ReportsOptions) {
    this.options = options;
    const { media } = options.player;
    for (const event of ['playing', 'pause', 'waiting', 'ended'])
      media.addEventListener(event, () => this.changed());
    for (const event of ['timeupdate', 'seeking', 'seeked', 'emptied'])
      media.addEventListener(event, () => this.beat());
    setInterval(() => this.beat(), sampleEveryMs);
  }

  /** Playing from before the service knew of the page does not count. */
  welcomed({ beat_ms, resume }: Pick<Welcome, 'beat_ms' | 'resume'>): void {
    this.beatMs = beat_ms;
    // The number of the session comes first; what follows changes with the service that has it.
    this.reports.begin(resume.split('.', 1).join());
    this.isLost = false;
    this.sample();
    this.meter.take();
    this.reportedAt = performance.now();
  }

  /** The connection is gone: up to here it would have reported. */
  lost(): void {
    if (this.isLost) return;
    this.report();
    this.isLost = true;
  }

  /** A service that was killed has to be told these again. */
  reportsToRepeat(): Said | undefined {
    return this.reports.recent(performance.now());
  }

  /** Now, because there may be no later. */
  report(): void {
    clearTimeout(this.soon);
    this.soon = undefined;
    this.sample();
    this.reportedAt = performance.now();
    const played = this.meter.take();
    if (!this.isLost) this.reports.add(played, this.reportedAt);
    this.options.send({ type: 'report', ...played });
  }

  private changed(): void {
    this.sample();
    this.reportSoon();
  }

  private reportSoon(): void {
    const waitMs = this.reportedAt + reportEveryMsMin - performance.now();
    if (waitMs <= 0) this.report();
    else this.soon ??= setTimeout(() => this.report(), waitMs);
  }

  private beat(): void {
    if (this.sample()) this.reportSoon();
    if (performance.now() - this.reportedAt >= this.beatMs) this.report();
  }

  /** True where the player has jumped. */
  private sample(): boolean {
    const { media, kind, shownAt } = this.options.player;
    const canPlayOn = media.readyState >= HTMLMediaElement.HAVE_FUTURE_DATA && !media.seeking;
    return this.meter.add({
      nowMs: performance.now(),
      positionMs: media.currentTime * 1000,
      // Recordings make no audience records; what is gone back to while the show is on is the show.
      isPlaying: (kind === 'live' || kind === 'show') && !media.paused && !media.ended && canPlayOn,
      shownAt,
    });
  }
}
