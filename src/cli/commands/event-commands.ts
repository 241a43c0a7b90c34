// `footlight event list|follow`: what has happened in an account, and what happens, beside the service if it runs.
import { ApiError } from '../../base/api/errors.ts';
import type { Store } from '../../base/db/sql.ts';
import type { Log } from '../../base/lib/log.ts';
import { countedAccount } from '../../library/access/account-store.ts';
import { type EventType, eventTypes, followedEvent } from '../../library/events/event.ts';
import { EventFollowing, eventReads } from '../../library/events/event-following.ts';
import { eventLimits } from '../../library/events/event-limits.ts';
import {
  missingView,
  type Position,
  positionText,
  readPosition,
} from '../../library/events/event-position.ts';
import {
  checkedPosition,
  type EventFilter,
  endPosition,
  type ReadEvents,
  readOn,
} from '../../library/events/event-reading.ts';
import { isOwnChannel } from '../../library/events/event-store.ts';
import { EventWatch } from '../../library/events/event-watch.ts';
import { type Command, command, type Run } from '../parts/command.ts';
import { withStore } from '../parts/command-database.ts';
import { UsageError } from '../parts/exit-codes.ts';
import { untilInterrupted } from '../parts/interrupt.ts';
import { type Kind, option, usually } from '../parts/option.ts';
import type { Column } from '../parts/output.ts';
import { someOf, whole } from '../parts/value-kinds.ts';

const positionKind: Kind<Position> = {
  value: 'POSITION',
  read: (text, named) => {
    const position = readPosition(text);
    if (position) return position;
    throw new UsageError(`${named} must be the position of an event, such as 31.7 (got "${text}")`);
  },
};

const narrowed = {
  account: usually(whole, '1', 'Of which account.'),
  type: option(someOf(eventTypes, 'event'), `Only these types, of ${eventTypes.join(', ')}.`),
  channel: option(whole, 'Only those of this channel.'),
};

interface Narrowed {
  account: number;
  type: readonly EventType[] | undefined;
  channel: number | undefined;
}

type Shown = ReturnType<typeof followedEvent> & { position: string };

const columns: readonly Column<Shown>[] = ['position', 'timestamp', 'type', 'data'];

export const eventCommands: readonly Command[] = [
  command({
    name: 'event list',
    audit: 'nothing',
    sentence: 'What has happened, the oldest first, as far back as events are kept (EVENT_DAYS).',
    more: 'Sessions that ended have an order of their own, and stand behind what else was read with them.',
    options: {
      ...narrowed,
      after: option(positionKind, 'Only what is behind this event, by its position.'),
    },
    examples: ['event list --type show.ended,video.ready', 'event list --after 31.7 --json'],
    run: async ({ after, ...given }, run) => {
      const listing = run.out.list<Shown>(columns);
      await withStore(run, async (store) => {
        const filter = await filterOf(store, given);
        const begin = after
          ? await checkedPosition(store, filter, after)
          : { position: await endPosition(store, filter.owner, { fromFirst: true }), missing: [] };
        await warnOfMissing(run, begin);
        const limit = eventLimits.rowsPerRead;
        for (let { position } = begin; ; ) {
          const read = await readOn(store, filter, { position, limit });
          await warnOfMissing(run, read);
          await listing.add(read.rows.map(shownEvent));
          if (!read.isNews) break;
          position = read.position;
        }
      });
      await listing.end();
    },
  }),
  command({
    name: 'event follow',
    audit: 'nothing',
    sentence: 'What happens, as it happens, until it is interrupted.',
    more: 'Each event has its position: --after goes on behind it.',
    options: {
      ...narrowed,
      after: option(positionKind, 'First what has come since this event, by its position.'),
    },
    examples: ['event follow --type channel.live,channel.offline', 'event follow --after 31.7'],
    run: async ({ after, ...given }, run) => {
      await untilInterrupted((signal) =>
        withStore(run, (store) => follow(run, { store, given, after, signal })),
      );
    },
  }),
];

async function follow(
  run: Run,
  given: {
    store: Store;
    given: Narrowed;
    after: Position | undefined;
    signal: AbortSignal;
  },
): Promise<void> {
  const { store, after, signal } = given;
  const filter = await filterOf(store, given.given);
  // While nothing can be looked for it goes on; a read that fails ends it.
  const warn: Log['warn'] = (message, { error } = {}) => {
    const why = error instanceof Error ? `: ${error.message}` : '';
    run.out.warning({ message: `${message}${why}` }).catch(() => {});
  };
  const watch = new EventWatch({ log: { warn } });
  const following = await EventFollowing.open({ store, watch, reads: eventReads() }, filter, after);
  const end = () => following.end();
  signal.addEventListener('abort', end);
  watch.start(store);
  try {
    await run.out.remark('what happens stands here as it happens; Ctrl-C ends it');
    const listing = run.out.list<Shown>(columns, { isAtOnce: true });
    while (!signal.aborted) {
      const read = await following.next(Number.POSITIVE_INFINITY);
      if (!read) break;
      await warnOfMissing(run, read);
      await listing.add(read.rows.map(shownEvent));
    }
  } finally {
    signal.removeEventListener('abort', end);
    following.end();
    await watch.stop();
  }
}

/** Throws where there is no such account, or it has no such channel. */
async function filterOf(
  store: Store,
  { account: account_id, type = eventTypes, channel }: Narrowed,
): Promise<EventFilter> {
  const owner = { account_id, manager_id: 0 };
  if (!(await countedAccount(store, account_id)))
    throw new ApiError('noUser', { message: `No account ${account_id}` });
  if (channel !== undefined && !(await isOwnChannel(store, channel, owner)))
    throw new ApiError('noChannel', { message: `No channel ${channel} of account ${account_id}` });
  return { owner, types: new Set(type), channel };
}

function shownEvent({ row, position }: ReadEvents['rows'][number]): Shown {
  return { position: positionText(position), ...followedEvent(row) };
}

async function warnOfMissing({ out }: Run, { missing }: Pick<ReadEvents, 'missing'>) {
  for (const one of missing) {
    const { feed, from, to } = missingView(one);
    const message = `events ${from} to ${to} (${feed}) are not kept any more`;
    await out.warning({ message, feed, from, to });
  }
}
