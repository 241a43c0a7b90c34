// Follows a stream from one node to the next that has it, until nobody has it or nobody wants what comes from others.
import type { Sql } from '../../base/db/sql.ts';
import type { Log } from '../../base/lib/log.ts';
import type { LinkTopic } from '../../base/links/link-topic.ts';
import type { Links } from '../../base/links/links.ts';
import { type StreamPlace, streamPlace } from '../live/push-holder-store.ts';

/** A stream that nobody here has asked for so long is not followed any more; that is looked at so often. */
export const idleMs = 30_000;
export const idleLookMs = 5_000;
/** A node that is being linked, or that has just died, is looked for again, as is a push that this node is about to begin. */
const againMs = 250;

export interface FollowedHolders<Question, Part> {
  links: Pick<Links, 'follow' | 'node'>;
  store: Sql;
  log: Log;
  playId: string;
  /** Where it is; undefined where that is to be looked up first. */
  first: StreamPlace | undefined;
  topic: Pick<LinkTopic<never, Question, Part>, 'name' | 'question' | 'answer'>;
  /** What a holder is asked, each time anew. */
  asked(): Question;
  /** Whether it is media: without any it may be asked for again too soon. */
  part(part: Part, hasGap: boolean): boolean;
  /** How what comes now is ended; undefined when nothing comes any more. */
  onFollowed(leave: (() => void) | undefined): void;
  /** This node has it. Its own stream ends this at once, or it has let go of it before there was one. */
  onHere?(): void;
  /** Nobody wants it any more, or nothing more comes of its push. */
  isOver(): boolean;
}

/** Resolves when nobody pushes to it any more, or it is over. */
export async function followHolders<Question, Part>(
  given: FollowedHolders<Question, Part>,
): Promise<void> {
  const { links, store, log, playId, onHere, isOver } = given;
  const look = async (known: StreamPlace | undefined) =>
    await streamPlace(store, playId).catch((error) => {
      log.warn('where a stream is could not be read', { error });
      return known;
    });
  let place = given.first ?? (await look(undefined));
  while (!isOver() && place) {
    const isHere = place.node === links.node;
    if (isHere) onHere?.();
    const isFollowed = !isHere && (await followNode(given, place.node));
    if (isOver()) break;
    if (!isFollowed) await Bun.sleep(againMs);
    place = await look(place);
  }
}

/** Resolves when no more comes of it from there; false where it cannot be had. */
async function followNode<Question, Part>(
  { links, topic, asked, part, onFollowed, isOver }: FollowedHolders<Question, Part>,
  node: string,
): Promise<boolean> {
  const over = Promise.withResolvers<void>();
  let hasCome = false;
  const leave = links.follow(topic, node, asked(), {
    part: (one, hasGap) => {
      if (!isOver() && part(one, hasGap)) hasCome = true;
    },
    ended: over.resolve,
  });
  if (!leave) return false;
  onFollowed(() => {
    leave();
    over.resolve();
  });
  await over.promise;
  onFollowed(undefined);
  return hasCome;
}
