// An account's events, beside the interface: followed as they happen, or listed page by page.
import { holds, type KnownCaller } from '../../base/api/caller.ts';
import { get } from '../../base/api/endpoint.ts';
import { ApiError, invalidField, quoted } from '../../base/api/errors.ts';
import { idMax, integer, text } from '../../base/api/fields.ts';
import { pageSize } from '../../base/api/paging.ts';
import { type AnyRoute, type Handlers, routes } from '../../base/api/route.ts';
import type { Store } from '../../base/db/sql.ts';
import { ofAccount } from '../../base/db/whose.ts';
import { type EventType, eventTypes, followedEvent } from './event.ts';
import { eventDocs } from './event-docs.ts';
import { eventReads } from './event-following.ts';
import { eventLimits } from './event-limits.ts';
import { missingView, type Position, positionText, readPosition } from './event-position.ts';
import {
  checkedPosition,
  type EventFilter,
  endPosition,
  readableTypes,
  readOn,
  scopeOf,
} from './event-reading.ts';
import { isOwnChannel } from './event-store.ts';
import { type EventStreamOptions, openEventStream } from './event-stream.ts';

interface Parts extends EventStreamOptions {
  store: Store;
}

export function eventRoutes(
  given: Pick<Parts, 'store' | 'watch'> & {
    /** A connection without a byte for so long is closed. */
    idleMs: number;
  },
): AnyRoute[] {
  const { store, watch, idleMs } = given;
  const heartbeatMs = Math.min(eventLimits.heartbeatMs, idleMs / 2);
  const handlers = { followEvents, listEvents };
  return routes({
    table: eventTable,
    docs: eventDocs,
    handlers,
    parts: { store, watch, heartbeatMs, reads: eventReads() },
  });
}

const eventsPerPage = { default: 100, max: 100 };

const filters = {
  types: text('only events of these types, with commas between', { max: 1_000, trim: true }),
  channel: integer('only events of this channel', { min: 1, max: idMax }),
};

/** Each is answered by the function of its name. What a caller sees of them follows from their scopes. */
const eventTable = {
  followEvents: get('/manage/v1/events', 'caller', {
    query: {
      ...filters,
      last_event_id: text(
        'a position such as 31.7: the same as the header `Last-Event-ID`, which goes before it',
        {
          max: 40,
          trim: true,
        },
      ),
    },
    absent: 'noChannel',
    streamed: 'text/event-stream',
  }),
  listEvents: get('/manage/v1/events/list', 'caller', {
    query: {
      ...filters,
      after: text(
        'a position such as 31.7: `next_after` of the page before, or the `id:` line of the stream; without it from the oldest that is kept',
        {
          max: 40,
          trim: true,
        },
      ),
      perPage: pageSize(eventsPerPage),
    },
    absent: 'noChannel',
  }),
};

type Handle = Handlers<typeof eventTable, typeof eventDocs, Parts>;

const followEvents: Handle['followEvents'] = async ({ caller, query, header }, parts) => {
  const filter = await filterOf(parts.store, caller, query);
  const came = header('last-event-id') || (query.last_event_id ?? '');
  const after = came === '' ? undefined : positionIn('last_event_id', came);
  const body = await openEventStream(parts, filter, after);
  // A proxy that gathers an answer before it passes it on would keep events back.
  return { body, headers: { 'X-Accel-Buffering': 'no' } };
};

const listEvents: Handle['listEvents'] = async ({ caller, query }, { store }) => {
  const filter = await filterOf(store, caller, query);
  const { after = '', perPage: limit = eventsPerPage.default } = query;
  const { owner } = filter;
  const begin =
    after === ''
      ? { position: await endPosition(store, owner, { fromFirst: true }), missing: [] }
      : await checkedPosition(store, filter, positionIn('after', after));
  const { rows, missing, position } = await readOn(store, filter, {
    position: begin.position,
    limit,
  });
  return {
    body: {
      events: rows.map(({ row }) => followedEvent(row)),
      missing: [...begin.missing, ...missing].map(missingView),
      next_after: positionText(position),
    },
  };
};

/** The id in an event's data is another thing, by which one that is told twice is known. */
const whence = 'the `id:` line of the stream, or `next_after` of a page, and not evt_…';

function positionIn(name: string, came: string): Position {
  const position = readPosition(came);
  if (!position)
    throw invalidField(
      name,
      `${name} must be a position such as 31.7 (got ${quoted(came)}): ${whence}`,
    );
  return position;
}

/** Throws where it is not theirs to see. */
async function filterOf(
  store: Store,
  { account_id, manager_id, scopes }: KnownCaller,
  { types = '', channel }: { types?: string | undefined; channel?: number | undefined },
): Promise<EventFilter> {
  const owner = { account_id, manager_id };
  const wanted = types === '' ? readableTypes(scopes) : typesIn(types);
  const beyond = wanted.find((type) => !holds(scopes, scopeOf(type)));
  if (beyond) throw new ApiError('noAccess', { message: lacking(scopeOf(beyond)) });
  if (wanted.length === 0) throw new ApiError('noAccess', { message: lacking('channels:read') });
  if (channel !== undefined && !(await isOwnChannel(store.for(ofAccount(owner)), channel, owner)))
    throw new ApiError('noChannel');
  return { owner, types: new Set(wanted), channel };
}

function lacking(scope: string): string {
  return `The caller lacks the scope ${scope}`;
}

function typesIn(came: string): EventType[] {
  return came.split(',').map((one) => {
    const type = eventTypes.find((known) => known === one.trim());
    if (type) return type;
    throw invalidField(
      'types',
      `types must be of ${eventTypes.join(', ')} (got ${quoted(one.trim())})`,
    );
  });
}
