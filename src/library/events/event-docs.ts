// What `/openapi.json` says of events.
import * as z from 'zod';
import { docs } from '../../base/api/route.ts';
import { type EventType, eventKinds, eventSchema, eventTypes } from './event.ts';
import { feedNames } from './event-feed.ts';

const exampleId = 'evt_5jXkG2mQ8pVbN1cT7rYwZ0';
const timestamp = '2026-05-01T19:29:58.317Z';

/** One for each type, told apart by it. */
const followed = z
  .union(
    eventTypes.map((type) =>
      eventSchema(type)
        .extend({
          id: z.string().meta({
            description:
              'the same however often it is told; where to go on from is another thing, the position',
          }),
        })
        .meta({ title: titleOf(type), description: eventKinds[type].sentence }),
    ),
  )
  .meta({ title: 'Event' });

/** `ChannelLiveEvent` */
function titleOf(type: EventType): string {
  const words = type.split('.').map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return `${words.join('')}Event`;
}

const example = {
  id: exampleId,
  type: 'channel.live' as const,
  timestamp,
  data: eventKinds['channel.live'].example,
};

const types = eventTypes.map((type) => `\`${type}\` (\`${eventKinds[type].scope}\`)`).join(', ');

const errors = ['noAccess'] as const;

export const eventDocs = {
  followEvents: docs({
    summary: 'Follow what happens, as server-sent events',
    note: `An event is written with the very change that it tells of, is told at least once, and has an id (\`evt_…\`) for those who want it once. The \`id:\` line of a message is a position, such as 31.7: who comes back with it as \`Last-Event-ID\` gets all that has come since; without it what comes from now on. Events are kept for some days (\`EVENT_DAYS\`): where some behind that position are not there any more, a message \`missing\` tells their numbers (\`from\`, \`to\`, of the \`feed\` main or sessions), and those that are kept follow. A comment comes at least every 15 seconds. Types, and the scope that each needs: ${types}. A manager sees the events of their own channels. Events stand in the order in which they happened, those of ended sessions in an order of their own.`,
    answer: followed,
    example,
    errors,
    requestHeaders: {
      'Last-Event-ID': 'the `id:` line of the last message that was read, such as 31.7',
    },
  }),
  listEvents: docs({
    summary: 'List what happened, the oldest first, for programs that ask now and then',
    note: 'The same events. `next_after` is the position behind the last of them, and leads on, also where there are none yet.',
    answer: z
      .object({
        events: z.array(followed),
        missing: z
          .array(z.object({ feed: z.enum(feedNames), from: z.int(), to: z.int() }))
          .meta({ description: 'numbers of events behind `after` that are not kept any more' }),
        next_after: z.string().meta({ description: '`after` of the next page' }),
      })
      .meta({ title: 'Events' }),
    example: { events: [example], missing: [], next_after: '31.7' },
    errors,
  }),
};
