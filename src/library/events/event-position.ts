// Where somebody is who follows an account's events: a place in each feed, in one text that they carry.
import { allFeeds, type Feed, type FeedName, feeds } from './event-feed.ts';

/** By feed, the number of the last event that was passed. */
export type Position = Readonly<Record<Feed, number>>;

/** As `Last-Event-ID` has it: `31.7`. */
export function positionText(position: Position): string {
  return allFeeds.map((feed) => position[feed]).join('.');
}

/** Undefined where it is no such text. */
export function readPosition(text: string): Position | undefined {
  const [, main, sessions] = /^(\d{1,15})\.(\d{1,15})$/.exec(text) ?? [];
  return main === undefined || sessions === undefined
    ? undefined
    : { 0: Number(main), 1: Number(sessions) };
}

/** Events that were there once and are not kept any more, by their numbers. */
export interface Missing {
  feed: Feed;
  from: number;
  to: number;
}

export function missingView({ feed, from, to }: Missing) {
  const name: FeedName = feed === feeds.main ? 'main' : 'sessions';
  return { feed: name, from, to };
}
