// Whether somebody publishes to a channel, at whatever node, or may still come back: asked before it is deleted.
import type { Hub } from './hub.ts';
import type { HeldChannel, PushHolders } from './push-holders.ts';

export interface PushStanding {
  /** Also while nothing of it can be played yet. */
  isPublishedTo: boolean;
  /** For how long a push that was cut may still come back; undefined where none is waited for. */
  awaitedMs: number | undefined;
}

/** Of a push of another node by its row, which that renews each second. */
export async function pushStanding(
  channel: HeldChannel,
  given: { hub: Hub; holders: PushHolders; reconnectMs: number },
): Promise<PushStanding> {
  const { hub, holders, reconnectMs } = given;
  const here = hub.find(channel.id);
  if (here) return { isPublishedTo: here.isConnected, awaitedMs: hub.awaitedMs(channel.id) };
  const holder = await holders.find(channel);
  const isElsewhere = holder !== undefined && holder.node !== holders.links.node;
  const isPublishedTo = isElsewhere && holder.state === 'live' && holder.held_ms > 0;
  const awaitedMs = holder?.state === 'cut' ? reconnectMs - holder.silent_ms : 0;
  return { isPublishedTo, awaitedMs: awaitedMs > 0 ? awaitedMs : undefined };
}
