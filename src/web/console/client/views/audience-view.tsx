// The audience of a channel: everybody who ever came, or every visit; and a search for somebody.
import { filled } from '../../../pages/client/page-elements.ts';
import { periodTimes } from '../audience-period.ts';
import {
  type AudiencePlace,
  audienceLists,
  audiencePath,
  readAudiencePlace,
} from '../audience-place.ts';
import { useTexts, useTimes } from '../console-parts.ts';
import { type ChannelPlace, paths } from '../console-place.ts';
import { SessionTable, VisitorTable } from '../parts/audience-table.tsx';
import { EmptyState } from '../parts/empty-state.tsx';
import { Pager } from '../parts/pager.tsx';
import { PeriodLinks } from '../parts/period-links.tsx';
import { ProblemState } from '../parts/problem-state.tsx';
import { SearchBox } from '../parts/search-box.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import { TabLinks } from '../parts/tab-links.tsx';
import type { SessionList, VisitorList } from '../service-answers.ts';
import { useAnswer } from '../use-answer.ts';
import { useKept } from '../use-kept.ts';
import { useNow } from '../use-now.ts';

/** Who comes meanwhile is seen without a reload. */
const listEveryMs = 10_000;

export function AudienceView({ place: { id, query = '' } }: { place: ChannelPlace }) {
  const { audience: texts } = useTexts();
  const times = useTimes();
  const place = readAudiencePlace(query);
  const now = useNow(60_000);
  const path = audiencePath(id, place, periodTimes(place.period, times, now));
  const answered = useAnswer<VisitorList | SessionList>(path, {
    // A search looks through all of them: once is enough.
    ...(place.q === '' && { everyMs: listEveryMs }),
  });
  const { problem, reload } = answered;
  const list = useKept(answered.value, `${id} ${place.list}`);
  const hrefOf = (to: Partial<AudiencePlace>) => paths.audience(id, { ...place, p: 1, ...to });
  const total = list && times.count(list.meta.total);
  return (
    <>
      <div class="list-bar">
        <TabLinks
          label={texts.title}
          tabs={audienceLists.map((one) => ({
            href: hrefOf({ list: one }),
            text: texts[one],
            isHere: one === place.list,
            count: one === place.list ? total : undefined,
          }))}
        />
        <SearchBox label={texts.search} q={place.q} hrefOf={(q) => hrefOf({ q })} />
      </div>
      <PeriodLinks
        period={place.list === 'sessions' ? place.period : undefined}
        hrefOf={(period) => hrefOf({ list: 'sessions', period })}
      />
      <p class="audience-filter">
        <a class="press usual small" href={hrefOf({ isAll: !place.isAll })} data-stays>
          {place.isAll ? texts.only_watched[place.list] : texts.all_again}
        </a>
      </p>
      {!list && problem ? (
        <ProblemState problem={problem} onRetry={reload} />
      ) : (
        <Listed {...{ id, place, list, hrefOf }} isBusy={!answered.value} />
      )}
    </>
  );
}

function Listed(props: {
  id: number;
  place: AudiencePlace;
  list: VisitorList | SessionList | undefined;
  isBusy: boolean;
  hrefOf(to: Partial<AudiencePlace>): string;
}) {
  const { audience: texts } = useTexts();
  const { id, place, list, isBusy, hrefOf } = props;
  if (!list)
    return (
      <p aria-busy="true">
        <Skeleton width={40} />
      </p>
    );
  if (list.meta.total === 0)
    return place.q === '' ? (
      <EmptyState
        icon="people"
        title={place.period.kind === 'all' ? texts.empty_title : texts.empty_period}
      >
        {place.period.kind === 'all' && texts.empty}
      </EmptyState>
    ) : (
      <EmptyState icon="search" title={filled(texts.empty_search, { q: place.q })}>
        {list.whole ? undefined : texts.not_whole}
      </EmptyState>
    );
  return (
    <div class="audience-list" aria-busy={isBusy}>
      {!list.whole && <p class="soft small-text">{texts.not_whole}</p>}
      {'visitors' in list ? (
        <VisitorTable id={id} visitors={list.visitors} />
      ) : (
        <SessionTable id={id} sessions={list.sessions} />
      )}
      <Pager p={list.meta.current} pages={list.meta.page} hrefOf={(p) => hrefOf({ p })} />
    </div>
  );
}
