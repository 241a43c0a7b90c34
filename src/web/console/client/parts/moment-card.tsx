// A moment of a show: the picture that was on, and who left then.
import { filled } from '../../../pages/client/page-elements.ts';
import { useTexts, useTimes } from '../console-parts.ts';
import { paths } from '../console-place.ts';
import { minuteOf } from '../minute-plot-shapes.ts';
import { mediaAt } from '../recorded-moment.ts';
import type { ShowAudience, ShowReport } from '../service-answers.ts';
import { filterQuery, type ShowPlace, toggled } from '../show-filter.ts';
import { lengthText } from '../times.ts';
import { useAnswer } from '../use-answer.ts';
import { ConsoleIcon } from './console-icon.tsx';
import { MomentPicture } from './moment-picture.tsx';
import { ProblemState } from './problem-state.tsx';
import { Skeleton } from './skeleton.tsx';

export function MomentCard(props: {
  id: number;
  show: ShowReport;
  place: ShowPlace;
  second: number;
}) {
  const { shows: texts } = useTexts();
  const times = useTimes();
  const { id, show, place, second } = props;
  const each = show.minutes_each;
  const minute = minuteOf(second, each);
  const begin = times.instant(show.begin);
  const mediaMs = mediaAt(show.anchors, second * 1_000);
  const clock = begin === undefined ? '' : ` · ${times.clock(begin + second * 1_000)}`;
  const title = filled(texts.moment, { time: lengthText(second) });
  const narrowed = (name: 'came' | 'left' | 'seen', to: number) =>
    paths.show(id, show.id, { at: second, filter: toggled(place.filter, name, to) });
  return (
    <section class="card panel moment" aria-label={title}>
      <header class="panel-head">
        <h2>
          {title}
          <span class="soft">{clock}</span>
        </h2>
        <a
          class="press quiet small only-icon"
          href={paths.show(id, show.id, { ...place, at: undefined })}
          aria-label={texts.moment_close}
          data-stays
        >
          <ConsoleIcon name="close" />
        </a>
      </header>
      <MomentPicture show={show} second={second} />
      {show.records !== 'frozen' && (
        <WhoWasThere {...{ id, show, place, minute, mediaMs, narrowed }} />
      )}
    </section>
  );
}

/** Where the records are gone nobody knows. */
function WhoWasThere(props: {
  id: number;
  show: ShowReport;
  place: ShowPlace;
  minute: number;
  mediaMs: number | undefined;
  narrowed(name: 'came' | 'left' | 'seen', to: number): string;
}) {
  const { shows: texts } = useTexts();
  const { id, show, place, minute, mediaMs, narrowed } = props;
  return (
    <>
      <WhoLeft id={id} show={show} place={place} minute={minute} />
      <p class="moment-links">
        <a class="press usual small" href={narrowed('came', minute)} data-stays>
          {texts.only_came}
        </a>
        <a class="press usual small" href={narrowed('left', minute)} data-stays>
          {texts.only_left}
        </a>
        {mediaMs !== undefined && (
          <a
            class="press usual small"
            href={narrowed('seen', minuteOf(mediaMs / 1_000, show.minutes_each))}
            data-stays
          >
            {texts.only_seen}
          </a>
        )}
      </p>
    </>
  );
}

/** As many as stand beside the picture. */
const namedMax = 8;

function WhoLeft(props: { id: number; show: ShowReport; place: ShowPlace; minute: number }) {
  const { shows: texts, control } = useTexts();
  const times = useTimes();
  const { id, show, place, minute } = props;
  const query = filterQuery({ ...place.filter, left: minute });
  const { value, problem, reload } = useAnswer<ShowAudience>(
    `/manage/v1/channels/${id}/shows/${show.id}/audience?${query}`,
  );
  if (problem && !value) return <ProblemState problem={problem} onRetry={reload} />;
  const more = value ? value.uv - Math.min(namedMax, value.people.length) : 0;
  return (
    <div class="who-left" aria-busy={!value}>
      <h3>
        {texts.who_left} {value && <span class="tab-count">{times.count(value.uv)}</span>}
      </h3>
      {!value && <Skeleton width={16} />}
      {value?.uv === 0 && <p class="soft">{texts.who_left_none}</p>}
      <ul>
        {value?.people.slice(0, namedMax).map(({ user_id, nick, place: from, watch_seconds }) => (
          <li key={user_id}>
            <a href={paths.viewer(id, user_id)} dir="auto">
              {nick || control.guest}
            </a>{' '}
            <span class="soft small-text">
              {[from, lengthText(watch_seconds)].filter(Boolean).join(' · ')}
            </span>
          </li>
        ))}
      </ul>
      {more > 0 && (
        <p class="soft small-text">{filled(texts.who_left_more, { count: times.count(more) })}</p>
      )}
    </div>
  );
}
