// What a channel is about now, for whoever looks through many: on air, upcoming, past, or none of it yet.

/** States that a list can be asked for. */
export const listStates = ['all', 'on_air', 'upcoming', 'past'] as const;
export type ListState = (typeof listStates)[number];

/** `new` has no start ahead or behind, and was never on air. */
export const channelStates = ['on_air', 'upcoming', 'past', 'new'] as const;
export type ChannelState = (typeof channelStates)[number];

/** What of a row tells it. */
export interface StateColumns {
  live: number;
  start_time: number | null;
  last_push_stream_at: number | null;
}

/** One at a time: a show that was on air and has another start ahead is upcoming. */
export function stateOf(channel: StateColumns, now: number): ChannelState {
  const { live, start_time, last_push_stream_at } = channel;
  if (live === 1) return 'on_air';
  if (start_time !== null && start_time > now) return 'upcoming';
  return start_time !== null || last_push_stream_at !== null ? 'past' : 'new';
}
