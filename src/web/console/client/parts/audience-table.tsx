// The visitors of a channel, or their visits, as a table.
import type { ComponentChildren } from 'preact';
import { useTexts, useTimes } from '../console-parts.ts';
import { paths } from '../console-place.ts';
import type { ListedSession, ListedVisitor } from '../service-answers.ts';
import { useNow } from '../use-now.ts';
import { CardsTable, type Column } from './cards-table.tsx';
import { TimeShown } from './time-shown.tsx';

export function VisitorTable({ id, visitors }: { id: number; visitors: ListedVisitor[] }) {
  const { audience: texts } = useTexts();
  const time = useTimeCell();
  const times = useTimes();
  const columns: Column<ListedVisitor>[] = [
    {
      key: 'name',
      title: texts.column_viewer,
      isHead: true,
      cell: ({ visitor_id, nick, phone }) => (
        <ViewerName id={id} viewer={visitor_id} nick={nick}>
          {phone}
        </ViewerName>
      ),
    },
    { key: 'place', title: texts.column_place, cell: ({ addr }) => addr || null },
    { key: 'device', title: texts.column_device, cell: withWhat },
    {
      key: 'visits',
      title: texts.column_visits,
      isNumber: true,
      cell: ({ visit_times }) => times.count(visit_times),
    },
    {
      key: 'watched',
      title: texts.column_watched,
      isNumber: true,
      cell: ({ watch_time }) => watch_time,
    },
    {
      key: 'last',
      title: texts.column_last,
      cell: ({ last_online_time }) => time(last_online_time),
    },
  ];
  const keyOf = ({ visitor_id }: ListedVisitor) => visitor_id;
  return <CardsTable label={texts.visitors} columns={columns} rows={visitors} keyOf={keyOf} />;
}

export function SessionTable({ id, sessions }: { id: number; sessions: ListedSession[] }) {
  const { audience: texts } = useTexts();
  const time = useTimeCell();
  const columns: Column<ListedSession>[] = [
    {
      key: 'name',
      title: texts.column_viewer,
      isHead: true,
      cell: ({ user_id, nick, phone }) => (
        <ViewerName id={id} viewer={user_id} nick={nick}>
          {phone}
        </ViewerName>
      ),
    },
    {
      key: 'entered',
      title: texts.column_entered,
      cell: ({ first_login_time }) => time(`${first_login_time}:00`),
    },
    { key: 'place', title: texts.column_place, cell: ({ addr }) => addr || null },
    { key: 'device', title: texts.column_device, cell: withWhat },
    { key: 'source', title: texts.column_source, cell: ({ origin }) => origin || null },
    {
      key: 'watched',
      title: texts.column_watched,
      isNumber: true,
      cell: ({ watch_time }) => watch_time,
    },
  ];
  const keyOf = ({ record_id }: ListedSession) => record_id;
  return <CardsTable label={texts.sessions} columns={columns} rows={sessions} keyOf={keyOf} />;
}

function withWhat({ device, browser }: { device: string; browser: string }) {
  return [device, browser].filter(Boolean).join(' · ') || null;
}

function useTimeCell() {
  const times = useTimes();
  const now = useNow(60_000);
  return (text: string) => {
    const at = times.instant(text);
    return at === undefined ? null : <TimeShown at={at} now={now} />;
  };
}

/** Leads to all that is known of them. */
export function ViewerName(props: {
  id: number;
  viewer: string;
  nick: string;
  children?: ComponentChildren;
}) {
  const { control } = useTexts();
  return (
    <span class="name-lines">
      <a class="row-link" href={paths.viewer(props.id, props.viewer)} dir="auto">
        {props.nick || control.guest}
      </a>
      <span class="soft small-text viewer-id" dir="ltr">
        {props.children || props.viewer}
      </span>
    </span>
  );
}
