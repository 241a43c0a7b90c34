// The channels: what is on air, what comes, what was; and a new one, made in place.
import { useState } from 'preact/hooks';
import { filled } from '../../../pages/client/page-elements.ts';
import { useConsole, useTexts, useTimes } from '../console-parts.ts';
import { channelStates, type Place, paths } from '../console-place.ts';
import { Button } from '../parts/button.tsx';
import { ChannelTable, ChannelTableLoading } from '../parts/channel-table.tsx';
import { DeletedList } from '../parts/deleted-list.tsx';
import { EmptyState } from '../parts/empty-state.tsx';
import { NewChannel } from '../parts/new-channel.tsx';
import { Pager } from '../parts/pager.tsx';
import { ProblemState } from '../parts/problem-state.tsx';
import { SearchBox } from '../parts/search-box.tsx';
import { TabLinks } from '../parts/tab-links.tsx';
import { ViewHead } from '../parts/view-head.tsx';
import { type ChannelList, type DeletedChannels, mayManage } from '../service-answers.ts';
import { type Answered, useAnswer } from '../use-answer.ts';

type ChannelsPlace = Extract<Place, { view: 'channels' }>;

/** What is on air, and how many watch, is looked at so often. */
const listEveryMs = 5_000;

export function ChannelsView({ place }: { place: ChannelsPlace }) {
  const { channels: texts } = useTexts();
  const times = useTimes();
  const [isCreating, create] = useState(false);
  const deleted = useDeleted(place);
  const isOfDeleted = place.state === 'deleted';
  // How many there are of each state is told with any of them.
  const state = place.state === 'deleted' ? 'all' : place.state;
  const query = new URLSearchParams({ state, p: String(isOfDeleted ? 1 : place.p) });
  if (place.q !== '') query.set('q', place.q);
  const { value, problem, reload } = useAnswer<ChannelList>(`/manage/v1/channels?${query}`, {
    everyMs: listEveryMs,
  });
  const counts = value?.counts;
  const countOf = (count: number | undefined) =>
    count === undefined ? undefined : times.count(count);
  const hasDeleted = (deleted.value?.meta.total ?? 0) > 0;
  const isNew = counts?.all === 0 && !isOfDeleted;
  return (
    <>
      <ViewHead title={texts.title}>
        {!isNew && !isCreating && (
          <Button kind="main" icon="plus" onClick={() => create(true)}>
            {texts.create}
          </Button>
        )}
      </ViewHead>
      {(isCreating || isNew) && <NewChannel isFirst={isNew} onClose={() => create(false)} />}
      {(!isNew || hasDeleted) && (
        <div class="list-bar">
          <TabLinks
            label={texts.title}
            tabs={channelStates
              .filter((one) => one !== 'deleted' || isOfDeleted || hasDeleted)
              .map((one) => ({
                href: paths.channels({ state: one, q: one === 'deleted' ? '' : place.q }),
                text: texts.states[one],
                isHere: one === place.state,
                count: countOf(one === 'deleted' ? deleted.value?.meta.total : counts?.[one]),
              }))}
          />
          {!isOfDeleted && (
            <SearchBox
              label={texts.search}
              q={place.q}
              hrefOf={(q) => paths.channels({ state: place.state, q })}
            />
          )}
        </div>
      )}
      {isOfDeleted && <DeletedChannelList deleted={deleted} />}
      {!isNew && !isOfDeleted && (
        <Listed {...{ place, value, problem }} onRetry={reload} onCreate={() => create(true)} />
      )}
    </>
  );
}

/** Asked for once: nobody deletes by the minute. Only who may bring one back is told. */
function useDeleted({ state, p }: ChannelsPlace): Answered<DeletedChannels> {
  const { session } = useConsole();
  const me = session.me.value;
  const page = state === 'deleted' ? p : 1;
  return useAnswer(me && mayManage(me) ? `/manage/v1/deleted-channels?p=${page}` : undefined);
}

function DeletedChannelList({ deleted }: { deleted: Answered<DeletedChannels> }) {
  const { channels: texts, deleted: said } = useTexts();
  const times = useTimes();
  return (
    <DeletedList
      answered={deleted}
      rowsOf={({ channels }) => channels}
      label={texts.states.deleted}
      column={texts.column_name}
      moreOf={({ videos }) => filled(said.with_videos, { count: times.count(videos) })}
      restorePath={(id) => `/manage/v1/channels/${id}/restore`}
      hrefOf={(p) => paths.channels({ state: 'deleted', p })}
    />
  );
}

function Listed(props: {
  place: ChannelsPlace;
  value: ChannelList | undefined;
  problem: Parameters<typeof ProblemState>[0]['problem'] | undefined;
  onRetry(): void;
  onCreate(): void;
}) {
  const { place, value, problem } = props;
  if (!value && problem) return <ProblemState problem={problem} onRetry={props.onRetry} />;
  if (!value) return <ChannelTableLoading />;
  if (value.channels.length === 0) return <NothingListed place={place} />;
  return (
    <>
      <ChannelTable channels={value.channels} />
      <Pager
        p={value.meta.current}
        pages={value.meta.page}
        hrefOf={(p) => paths.channels({ ...place, p })}
      />
    </>
  );
}

function NothingListed({ place }: { place: ChannelsPlace }) {
  const { channels: texts } = useTexts();
  if (place.q !== '')
    return <EmptyState icon="search" title={filled(texts.empty_search, { q: place.q })} />;
  const said = {
    all: [texts.empty_past, texts.empty_past_more],
    on_air: [texts.empty_on_air, texts.empty_on_air_more],
    upcoming: [texts.empty_upcoming, texts.empty_upcoming_more],
    past: [texts.empty_past, texts.empty_past_more],
  }[place.state === 'deleted' ? 'all' : place.state];
  return (
    <EmptyState icon={place.state === 'upcoming' ? 'clock' : 'camera'} title={said[0] ?? ''}>
      {said[1]}
    </EmptyState>
  );
}
