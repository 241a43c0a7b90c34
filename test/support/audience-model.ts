// An audience kept in plain maps: what the store's rows must be after the same steps.

interface ModelSession {
  viewer_id: string;
  nick: string;
  entered_at: number;
  last_seen_at: number;
  online_ms: number;
  watch_ms: number;
  credited_until: number;
}

interface ModelVisitor {
  nick: string;
  first_entered_at: number;
  last_seen_at: number;
  watch_ms: number;
  credited_until: number;
  visit_times: number;
  share_times: number;
}

/** What a flush says of a visitor, in whole seconds. */
export interface Watched {
  last_seen_at: number;
  intervals: readonly { from: number; to: number }[];
  settle_until: number;
}

/** What a flush says of a session. */
export interface Sums {
  last_seen_at: number;
  watch_ms: number;
  credited_until: number;
  online_ms: number;
}

export class AudienceModel {
  readonly sessions = new Map<number, ModelSession>();
  readonly visitors = new Map<string, ModelVisitor>();
  /** The seconds that count for each, and until when no more can. */
  private readonly times = new Map<ModelVisitor, { seconds: Set<number>; settledUntil: number }>();
  lastEntryAt = 0;

  /** Whether a viewer who claims a session goes on with it: it was seen at about that time. */
  mayResume(
    viewer_id: string,
    record_id: number,
    about: { at: number; withinMs: number },
  ): boolean {
    const session = this.sessions.get(record_id);
    if (session?.viewer_id !== viewer_id) return false;
    return Math.abs(session.last_seen_at - about.at) <= about.withinMs;
  }

  enter(viewer_id: string, at: number, record_id: number): void {
    const entered_at = Math.max(at, this.lastEntryAt);
    this.lastEntryAt = entered_at;
    const sums = { last_seen_at: entered_at, watch_ms: 0, credited_until: at };
    const known = this.visitors.get(viewer_id);
    const nick = known?.nick ?? '';
    this.sessions.set(record_id, { viewer_id, nick, entered_at, online_ms: 0, ...sums });
    const visitor = known ?? {
      first_entered_at: entered_at,
      share_times: 0,
      visit_times: 0,
      nick,
      ...sums,
    };
    visitor.last_seen_at = Math.max(visitor.last_seen_at, entered_at);
    visitor.visit_times += 1;
    this.visitors.set(viewer_id, visitor);
  }

  credit(record_id: number, sums: Sums): void {
    const session = this.sessions.get(record_id);
    if (!session) return;
    grow(session, sums);
    session.online_ms = Math.max(session.online_ms, sums.online_ms);
  }

  creditVisitor(viewer_id: string, { last_seen_at, intervals, settle_until }: Watched): void {
    const visitor = this.visitors.get(viewer_id);
    if (!visitor) return;
    visitor.last_seen_at = Math.max(visitor.last_seen_at, last_seen_at);
    const time = this.times.get(visitor) ?? { seconds: new Set(), settledUntil: 0 };
    this.times.set(visitor, time);
    for (const { from, to } of intervals) {
      for (let at = Math.max(from, time.settledUntil); at < to; at += 1_000) {
        time.seconds.add(at);
        visitor.credited_until = Math.max(visitor.credited_until, at + 1_000);
      }
    }
    visitor.watch_ms = time.seconds.size * 1_000;
    time.settledUntil = Math.max(time.settledUntil, settle_until);
  }

  share(viewer_id: string): void {
    const visitor = this.visitors.get(viewer_id);
    if (visitor) visitor.share_times += 1;
  }

  rename(viewer_id: string, record_id: number, nick: string): void {
    for (const one of [this.visitors.get(viewer_id), this.sessions.get(record_id)])
      if (one) one.nick = nick;
  }

  erase(viewer_id: string): void {
    this.visitors.delete(viewer_id);
    for (const [record_id, session] of this.sessions)
      if (session.viewer_id === viewer_id) this.sessions.delete(record_id);
  }
}

function grow(row: ModelSession, sums: Sums): void {
  row.last_seen_at = Math.max(row.last_seen_at, sums.last_seen_at);
  row.watch_ms = Math.max(row.watch_ms, sums.watch_ms);
  row.credited_until = Math.max(row.credited_until, sums.credited_until);
}
