// The report of a show on one page: every bar, mark and minute narrows all of it, and what it is narrowed to is in the address.
import { useEffect, useState } from 'preact/hooks';
import { filled } from '../../../pages/client/page-elements.ts';
import { useConsole, useTexts, useTimes } from '../console-parts.ts';
import { paths } from '../console-place.ts';
import { Button } from '../parts/button.tsx';
import { EmptyState } from '../parts/empty-state.tsx';
import { FilterChips } from '../parts/filter-chips.tsx';
import { GroupBars } from '../parts/group-bars.tsx';
import { MomentCard } from '../parts/moment-card.tsx';
import { ProblemState } from '../parts/problem-state.tsx';
import { ReportNumbers } from '../parts/report-numbers.tsx';
import { ShowPeople } from '../parts/show-people.tsx';
import {
  FlowPlot,
  type PlottedShow,
  SeenPlot,
  StayedPlot,
  ViewersPlot,
} from '../parts/show-plots.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import type { ListedShow, Report, ShowAudience, ShowReport } from '../service-answers.ts';
import {
  filterQuery,
  type GroupFilter,
  isWhole,
  type ShowFilter,
  type ShowPlace,
  toggled,
} from '../show-filter.ts';
import { lengthText } from '../times.ts';
import { useAnswer } from '../use-answer.ts';
import { useKept } from '../use-kept.ts';
import { useNow } from '../use-now.ts';
import { AbsentView } from './absent-view.tsx';

/** The figures of a show that is on are so old at most. */
const onEveryMs = 10_000;
/** After its end pages still say what they have played, and the service writes it. */
const countedAfterMs = 180_000;

interface ShowReportProps {
  id: number;
  showId: number;
  place: ShowPlace;
  /** As the list has it; undefined where it is not on the page of the list. */
  line: ListedShow | undefined;
}

export function ShowReportView({ id, showId, place, line }: ShowReportProps) {
  const { shows: texts } = useTexts();
  const [end, setEnd] = useState(line?.end);
  const often = useIsCounting(end) ? { everyMs: onEveryMs } : {};
  const reported = useAnswer<Report>(`/v1/activities/${id}/report?show=${showId}`, often);
  const show = reported.value?.shows[0];
  useEffect(() => setEnd(show?.end ?? line?.end), [show?.end, line?.end]);
  // Of a show whose records are gone there is the whole alone.
  const filter = show?.records === 'frozen' ? {} : place.filter;
  const query = filterQuery(filter);
  const counted = useAnswer<ShowAudience>(
    `/manage/v1/channels/${id}/shows/${showId}/audience${query.size > 0 ? `?${query}` : ''}`,
    often,
  );
  const audience = useKept(counted.value, showId);
  const problem = reported.problem ?? counted.problem;
  if (problem?.status === 404) return <AbsentView />;
  if (problem && (!show || !audience))
    return (
      <ProblemState
        problem={problem}
        onRetry={() => {
          reported.reload();
          counted.reload();
        }}
      />
    );
  const isNarrowed = !isWhole(filter);
  const part = isNarrowed ? audience : show;
  const hrefOf = (to: ShowFilter) => paths.show(id, showId, { ...place, filter: to });
  return (
    <article class="report" aria-busy={!show || !counted.value} aria-label={texts.report}>
      <ReportHead {...{ id, show, filter }} />
      <FilterChips filter={filter} each={show?.minutes_each ?? 1} hrefOf={hrefOf} />
      <ReportNumbers figures={part} />
      {show && part && part.uv === 0 ? (
        <EmptyState icon="people" title={isNarrowed ? texts.narrowed_to_none : texts.nobody} />
      ) : (
        <Shown {...{ id, show, part, audience, isNarrowed, place, hrefOf }} />
      )}
    </article>
  );
}

/** Whether the numbers of a show that ends so still move; `end` undefined until it is known, empty while it is on. */
function useIsCounting(end: string | undefined): boolean {
  const times = useTimes();
  const now = useNow(onEveryMs);
  if (end === undefined || end === '') return end === '';
  const at = times.instant(end);
  return at !== undefined && now < at + countedAfterMs;
}

function ReportHead(props: { id: number; show: ShowReport | undefined; filter: ShowFilter }) {
  const { shows: texts } = useTexts();
  const times = useTimes();
  const now = useNow(10_000);
  const { id, show, filter } = props;
  if (!show)
    return (
      <header class="report-head">
        <Skeleton width={30} />
      </header>
    );
  const begin = times.instant(show.begin) ?? now;
  const end = times.instant(show.end);
  const query = filterQuery(filter);
  const file = (name: string) =>
    `/manage/v1/channels/${id}/shows/${show.id}/${name}${query.size > 0 ? `?${query}` : ''}`;
  const said =
    end === undefined
      ? filled(texts.since, { begin: times.short(begin, now) })
      : filled(texts.begin_to_end, { begin: times.short(begin, now), end: times.minute(end) });
  const from = times.there(begin);
  const to = end === undefined ? undefined : times.there(end);
  const there =
    from && to ? filled(texts.begin_to_end, { begin: from.time, end: to.time }) : from?.time;
  return (
    <header class="report-head">
      <p class="report-when">
        {end === undefined && (
          <span class="pill" data-state="on_air">
            {texts.on_air}
          </span>
        )}
        <b>{said}</b>{' '}
        {from && (
          <span class="soft small-text">
            {there} {from.zone} ·
          </span>
        )}{' '}
        <span class="soft number">{lengthText(((end ?? now) - begin) / 1_000)}</span>
      </p>
      <div class="view-actions no-print">
        <Button isSmall onClick={() => print()}>
          {texts.print}
        </Button>
        <a class="press usual small" href={file('report.csv')} download>
          {texts.csv}
        </a>
        {show.records !== 'frozen' && (
          <a class="press usual small" href={file('people.csv')} download>
            {texts.people_csv}
          </a>
        )}
      </div>
      <RecordsNote show={show} />
    </header>
  );
}

function RecordsNote({ show: { records, unplaced } }: { show: ShowReport }) {
  const { shows: texts } = useTexts();
  const times = useTimes();
  return (
    <>
      {records === 'frozen' && <p class="report-note">{texts.records_frozen}</p>}
      {records === 'partial' && <p class="report-note">{texts.records_partial}</p>}
      {unplaced.sessions > 0 && (
        <p class="report-note">
          {filled(texts.unplaced, { sessions: times.count(unplaced.sessions) })}
        </p>
      )}
    </>
  );
}

const nothing = { minutes: [], minutes_each: 1, uv: 0, peak: 0 };

function Shown(props: {
  id: number;
  show: ShowReport | undefined;
  part: PlottedShow['part'] | undefined;
  audience: ShowAudience | undefined;
  isNarrowed: boolean;
  place: ShowPlace;
  hrefOf(filter: ShowFilter): string;
}) {
  const { router } = useConsole();
  const { id, show, part, audience, isNarrowed, place, hrefOf } = props;
  const { filter, at } = place;
  const isFrozen = show?.records === 'frozen';
  const plotted: PlottedShow = {
    whole: show ?? nothing,
    part: part ?? nothing,
    isNarrowed,
    isFrozen,
    marks: audience,
  };
  const narrow = (name: 'came' | 'left' | 'seen', minute: number) =>
    router.go(hrefOf(toggled(filter, name, minute)), { stays: true });
  const look = (second: number) => {
    if (show) router.go(paths.show(id, show.id, { filter, at: second }), { stays: true });
  };
  return (
    <>
      <div class="report-curve" data-open={at !== undefined && show ? 'true' : undefined}>
        <div class="report-lanes">
          <ViewersPlot show={plotted} chosen={at} onPick={look} />
          <FlowPlot show={plotted} onPick={isFrozen ? undefined : narrow} />
        </div>
        {at !== undefined && show && <MomentCard id={id} show={show} place={place} second={at} />}
      </div>
      <div class="report-pair">
        <StayedPlot show={plotted} />
        <SeenPlot
          show={plotted}
          onPick={isFrozen ? undefined : (minute) => narrow('seen', minute)}
        />
      </div>
      {!isFrozen && (
        <>
          <Groups {...{ audience, filter, hrefOf }} />
          <ShowPeople
            id={id}
            people={audience?.people ?? []}
            all={audience?.uv ?? 0}
            each={audience?.minutes_each ?? 1}
          />
        </>
      )}
    </>
  );
}

function Groups(props: {
  audience: ShowAudience | undefined;
  filter: ShowFilter;
  hrefOf(filter: ShowFilter): string;
}) {
  const { shows: texts } = useTexts();
  const { audience, filter, hrefOf } = props;
  const of = (name: GroupFilter) => ({
    chosen: filter[name],
    hrefOf: (value: string) => hrefOf(toggled(filter, name, value)),
  });
  return (
    <div class="report-groups">
      <GroupBars title={texts.places} groups={audience?.places} {...of('place')} />
      <GroupBars title={texts.devices} groups={audience?.devices} {...of('device')} />
      <GroupBars title={texts.browsers} groups={audience?.browsers} {...of('browser')} />
      <GroupBars title={texts.sources} groups={audience?.sources} {...of('source')} />
    </div>
  );
}
