// One player without a page of ours: a connection that is told nothing, and is heard by what it asks for or takes.
import { Connection, type PageSocket } from '../connection/page-connection.ts';
import type { OnAir } from '../counting/on-air.ts';
import type { PresentSession } from '../counting/present.ts';
import { silenceMs } from '../counting/watch-session.ts';
import { presenceLimits } from '../protocol/page-limits.ts';

export interface DirectPlayerOptions {
  ip: string;
  /** The network of the address; players are counted by it. */
  network: string;
  device: string;
  browser: string;
  /** The bytes that an RTMP player has taken so far; an HLS player asks again and again instead. */
  takenBytes: (() => number) | undefined;
  /** It is sent away, or was silent for too long. */
  onClosed(connection: Connection): void;
}

/** A player that plays asks again within seconds; one that was away for longer had stopped. */
const playedMsMax = 15_000;

/** To its room it is a connection like a page's: it enters, is counted and is let go in the same way. */
export class DirectPlayer implements PageSocket {
  private readonly options: DirectPlayerOptions;
  readonly connection: Connection;

  /** Since the last report. */
  private playedMs = 0;
  private reportedAt: number;
  private takenBytes: number;

  constructor(options: DirectPlayerOptions, at: number) {
    this.options = options;
    this.connection = new Connection({ ...options, refusal: undefined }, at);
    this.connection.opened(this);
    this.reportedAt = at;
    this.takenBytes = options.takenBytes?.() ?? 0;
  }

  get network(): string {
    return this.connection.network;
  }

  /** It asked for the playlist. Called for every request, so nothing else is done yet. */
  heard(at: number, isPlaying = true): void {
    const { connection } = this;
    if (connection.isClosed) return;
    const sinceMs = at - connection.heardAt;
    if (isPlaying && sinceMs <= playedMsMax) this.playedMs += sinceMs;
    connection.stillThere(at);
  }

  /** An RTMP player says nothing: it is there while it is connected, and plays while it takes what it is sent. */
  countTakenBytes(at: number): void {
    const takenBytes = this.options.takenBytes?.();
    if (takenBytes === undefined) return;
    this.heard(at, takenBytes > this.takenBytes);
    this.takenBytes = takenBytes;
  }

  /** As often as a page, so that the database has no more to write for it. */
  isDue(at: number): boolean {
    return at - this.reportedAt >= presenceLimits.beatMs;
  }

  /** Credits what it has played. The session, where there was something to tell. */
  report(onAir: (channel_id: number) => OnAir | undefined): PresentSession | undefined {
    const { session, hasEntered, heardAt } = this.connection;
    const air = session && onAir(session.channel_id);
    if (!air || !hasEntered || heardAt === this.reportedAt) return undefined;
    session.report(heardAt, { played_ms: this.playedMs }, air);
    this.playedMs = 0;
    this.reportedAt = heardAt;
    return session;
  }

  /** It was silent for so long that a player under its name is a new one, also where it was sent away. */
  isOver(at: number): boolean {
    const { isClosed, heardAt } = this.connection;
    return isClosed && at - heardAt > silenceMs;
  }

  close(): void {
    const { connection } = this;
    // An RTMP player that was sent away ends later by itself.
    if (connection.isClosed) return;
    connection.closed();
    this.options.onClosed(connection);
  }

  terminate(): void {
    this.close();
  }

  /** A direct player has no WebSocket, so nothing is sent. */
  send(): void {}

  subscribe(): void {}
}
