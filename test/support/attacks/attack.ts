// What a rude peer does: one file an attack, aimed at a service on loopback, alone or beside the others.

/** A service, and what the attacker has of it by right: an account of its own, with channels. */
export interface Target {
  port: number;
  rtmpPort: number;
  /** Of the attacker's own account, every scope. */
  token: string;
  /** Of the attacker's own account, at least two. */
  channels: readonly TargetChannel[];
  /** Two of another account: `memory-hog` uses up what the first may hold. */
  heavyChannels?: readonly TargetChannel[];
  /** A channel of somebody else that is on air, by what everybody may know of it. */
  show: { id: number; play_id: string };
}

/** The first or the second. */
export function heavyChannel({ heavyChannels, channels }: Target, at: 0 | 1): TargetChannel {
  const channel = (heavyChannels ?? channels)[at];
  if (!channel) throw new Error('the attackers have no such channel');
  return channel;
}

export interface TargetChannel {
  id: number;
  stream_key: string;
  play_id: string;
}

export interface Attack {
  name: string;
  /** What it does, for who reads the table. */
  sentence: string;
  /** Of the counts that it must move, `kind reason`: one of each. */
  refusals: readonly string[];
  /** Whether it needs a service with a certificate or one without; RTMP is the same at both. */
  over: 'rtmp' | 'http' | 'https';
  /**
   * Does it for some seconds, or until the signal; resolves when its connections are closed. It comes from `from`,
   * a loopback address, and from others beside it where it says so.
   */
  run(target: Target, given: { from: string; signal: AbortSignal }): Promise<void>;
}

/** What it was about to do when the signal came is no failure. */
export async function untilSignal(signal: AbortSignal, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
