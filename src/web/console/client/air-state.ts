// Whether a channel is on air, is about to be, or is not: as the watch page says it.

export type AirState = 'on_air' | 'upcoming' | 'off_air';

/** A start that is ahead makes it upcoming. */
export function airState(
  channel: { live_status: number },
  { startsAt, now }: { startsAt: number | undefined; now: number },
): AirState {
  if (channel.live_status === 1) return 'on_air';
  return startsAt !== undefined && startsAt > now ? 'upcoming' : 'off_air';
}
