// The shows of a channel, and the report of the one that is open: the newest, where none is named.
import { useTexts } from '../console-parts.ts';
import { type ChannelPlace, paths } from '../console-place.ts';
import { ConsoleIcon } from '../parts/console-icon.tsx';
import { EmptyState } from '../parts/empty-state.tsx';
import { ProblemState } from '../parts/problem-state.tsx';
import { ShowStrip } from '../parts/show-strip.tsx';
import type { ShowList } from '../service-answers.ts';
import { readShowPlace } from '../show-filter.ts';
import { useAnswer } from '../use-answer.ts';
import { useKept } from '../use-kept.ts';
import { ShowReportView } from './show-report-view.tsx';

/** A show that begins or ends is noticed so late at most. */
const listEveryMs = 10_000;
const perPage = 12;

export function ShowsView({ place }: { place: ChannelPlace }) {
  const { shows: texts } = useTexts();
  const { id, item, query = '' } = place;
  const p = Math.max(1, Number(new URLSearchParams(query).get('p')) || 1);
  const path = `/manage/v1/channels/${id}/shows?perPage=${perPage}&p=${p}`;
  const { value, problem, reload } = useAnswer<ShowList>(path, { everyMs: listEveryMs });
  const list = useKept(value, id);
  if (!list && problem) return <ProblemState problem={problem} onRetry={reload} />;
  if (list?.meta.total === 0)
    return (
      <EmptyState icon="chart" title={texts.empty_title}>
        {texts.empty}
      </EmptyState>
    );
  const open = item === undefined ? list?.shows[0]?.id : Number(item);
  return (
    <>
      <div class="strip-row" aria-busy={!list}>
        <ShowStrip id={id} shows={list?.shows ?? []} open={open} />
        {list && list.meta.page > 1 && <StripPager id={id} p={p} pages={list.meta.page} />}
      </div>
      {open !== undefined && (
        <ShowReportView
          key={open}
          id={id}
          showId={open}
          place={readShowPlace(query)}
          line={list?.shows.find((show) => show.id === open)}
        />
      )}
    </>
  );
}

/** To the shows before and after those of the row. */
function StripPager({ id, p, pages }: { id: number; p: number; pages: number }) {
  const { shows: texts } = useTexts();
  const hrefOf = (to: number) => `${paths.channel(id, 'shows')}?p=${to}`;
  return (
    <p class="strip-pager">
      {p > 1 && (
        <a class="press usual small" href={hrefOf(p - 1)}>
          <ConsoleIcon name="left" />
          <span>{texts.newer}</span>
        </a>
      )}
      {p < pages && (
        <a class="press usual small" href={hrefOf(p + 1)}>
          <span>{texts.older}</span>
          <ConsoleIcon name="right" />
        </a>
      )}
    </p>
  );
}
