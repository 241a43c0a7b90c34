// The events of the account as they happen: what a webhook would be told.
import type { EventType } from '../../../../library/events/event.ts';
import { useTexts } from '../console-parts.ts';
import { type FollowedEvents, useEvents } from '../use-events.ts';
import { useNow } from '../use-now.ts';
import { CardsTable, type Column } from './cards-table.tsx';
import { TimeShown } from './time-shown.tsx';

const eventsPath = '/manage/v1/events';

export function EventList() {
  const { webhooks: texts } = useTexts();
  const { events, state } = useEvents(eventsPath, Object.keys(texts.events) as EventType[]);
  return (
    <section class="card panel" aria-label={texts.happening}>
      <h2>{texts.happening}</h2>
      <p class="soft" role="status">
        {texts.following[state]}
      </p>
      {events.length > 0 && <EventTable events={events} />}
    </section>
  );
}

type Shown = FollowedEvents['events'][number];

function EventTable({ events }: Pick<FollowedEvents, 'events'>) {
  const { webhooks: texts } = useTexts();
  const now = useNow(10_000);
  const columns: Column<Shown>[] = [
    {
      key: 'event',
      title: texts.column_event,
      isHead: true,
      cell: ({ type, data }) => (
        <span class="name-lines">
          <strong>{texts.events[type]}</strong>
          <code class="soft small-text break-words">
            {type} {JSON.stringify(data)}
          </code>
        </span>
      ),
    },
    {
      key: 'at',
      title: texts.column_at,
      cell: ({ timestamp }) => <TimeShown at={Date.parse(timestamp)} now={now} isRelative />,
    },
  ];
  return (
    <CardsTable
      label={texts.happening}
      columns={columns}
      rows={[...events]}
      keyOf={({ id }) => id}
    />
  );
}
