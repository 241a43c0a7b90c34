// The list of channels: picture, name, state, viewers now, when.
import { filled } from '../../../pages/client/page-elements.ts';
import { airState } from '../air-state.ts';
import { useTexts, useTimes } from '../console-parts.ts';
import { paths } from '../console-place.ts';
import type { ListedChannel } from '../service-answers.ts';
import { useNow } from '../use-now.ts';
import { CardsTable, type Column } from './cards-table.tsx';
import { CardsTableLoading } from './cards-table-loading.tsx';
import { ChannelPicture } from './channel-picture.tsx';
import { MovingNumber } from './moving-number.tsx';
import { Skeleton } from './skeleton.tsx';
import { StatePill } from './state-pill.tsx';
import { TimeShown } from './time-shown.tsx';

export function ChannelTable({ channels }: { channels: ListedChannel[] }) {
  const { channels: texts } = useTexts();
  const columns = useColumns();
  return (
    <CardsTable label={texts.title} columns={columns} rows={channels} keyOf={({ id }) => id} />
  );
}

function useColumns(): Column<ListedChannel>[] {
  const { channels: texts } = useTexts();
  const times = useTimes();
  const now = useNow(30_000);
  const startOf = ({ start_time }: ListedChannel) => times.instant(start_time);
  return [
    {
      key: 'name',
      title: texts.column_name,
      isHead: true,
      cell: (channel) => <NameCell channel={channel} />,
    },
    {
      key: 'state',
      title: texts.column_state,
      isPlain: true,
      cell: (channel) => (
        <StatePill state={airState(channel, { startsAt: startOf(channel), now })} />
      ),
    },
    {
      key: 'viewers',
      title: texts.column_viewers,
      isNumber: true,
      cell: ({ live_status, viewers }) =>
        live_status === 1 || viewers ? <MovingNumber value={viewers} /> : null,
    },
    {
      key: 'start',
      title: texts.column_start,
      cell: (channel) => timeOrNone(startOf(channel), now, { isBoth: true }),
    },
    {
      key: 'last',
      title: texts.column_last,
      cell: ({ last_push_stream_at, live_status }) =>
        live_status === 1
          ? times.relative(now, now)
          : timeOrNone(times.instant(last_push_stream_at), now, { isRelative: true }),
    },
  ];
}

function NameCell({ channel }: { channel: ListedChannel }) {
  const { channels: texts } = useTexts();
  const { id, name, manager_username } = channel;
  return (
    <span class="name-cell">
      <ChannelPicture channel={channel} />
      <span class="name-lines">
        <a class="row-link" href={paths.channel(id)} dir="auto">
          {name}
        </a>
        {manager_username !== '' && (
          <span class="soft small-text">
            {filled(texts.of_manager, { manager: manager_username })}
          </span>
        )}
      </span>
    </span>
  );
}

function timeOrNone(
  at: number | undefined,
  now: number,
  as: { isRelative?: boolean; isBoth?: boolean },
) {
  return at === undefined ? null : <TimeShown at={at} now={now} {...as} />;
}

export function ChannelTableLoading() {
  const { channels: texts } = useTexts();
  const columns: Column<number>[] = [
    { key: 'state', title: texts.column_state, isPlain: true, cell: () => <Skeleton width={9} /> },
    {
      key: 'viewers',
      title: texts.column_viewers,
      isNumber: true,
      cell: () => <Skeleton width={4} />,
    },
    { key: 'start', title: texts.column_start, cell: () => <Skeleton width={14} /> },
    { key: 'last', title: texts.column_last, cell: () => <Skeleton width={10} /> },
  ];
  return <CardsTableLoading label={texts.title} nameTitle={texts.column_name} columns={columns} />;
}
