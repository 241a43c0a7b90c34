// What happens to the account while one looks, as the service tells it: the browser keeps the connection and comes back.
import { useEffect, useState } from 'preact/hooks';
import type { EventType, FollowedEvent } from '../../../library/events/event.ts';

export interface FollowedEvents {
  /** The newest first. */
  events: readonly FollowedEvent[];
  /** `away`: the browser comes back by itself; `ended`: it does not. */
  state: 'connecting' | 'here' | 'away' | 'ended';
}

/** Older ones leave: the list is for looking, not for keeping. */
const shownMax = 50;

export function useEvents(path: string, types: readonly EventType[]): FollowedEvents {
  const [followed, follow] = useState<FollowedEvents>({ events: [], state: 'connecting' });
  useEffect(() => {
    const source = new EventSource(path);
    const now = (state: FollowedEvents['state']) => follow(({ events }) => ({ events, state }));
    source.onopen = () => now('here');
    source.onerror = () => now(source.readyState === EventSource.CLOSED ? 'ended' : 'away');
    for (const type of types)
      source.addEventListener(type, ({ data }: MessageEvent<string>) => {
        const event: FollowedEvent = JSON.parse(data);
        follow(({ events }) => ({ events: [event, ...events].slice(0, shownMax), state: 'here' }));
      });
    return () => source.close();
  }, [path]);
  return followed;
}
