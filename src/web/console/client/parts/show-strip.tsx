// The shows of a channel as a row of cards, the newest first; one of them is open.
import { filled } from '../../../pages/client/page-elements.ts';
import { useTexts, useTimes } from '../console-parts.ts';
import { paths } from '../console-place.ts';
import type { ListedShow } from '../service-answers.ts';
import { useNow } from '../use-now.ts';
import { TimeShown } from './time-shown.tsx';

export function ShowStrip(props: { id: number; shows: ListedShow[]; open: number | undefined }) {
  const { shows: texts } = useTexts();
  return (
    <nav class="show-strip" aria-label={texts.title}>
      <ul>
        {props.shows.map((show) => (
          <li key={show.id}>
            <a
              class="card show-card"
              href={paths.show(props.id, show.id)}
              aria-current={show.id === props.open ? 'page' : undefined}
            >
              <ShowLine show={show} />
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function ShowLine({ show: { begin, end, figures } }: { show: ListedShow }) {
  const { shows: texts } = useTexts();
  const times = useTimes();
  const now = useNow(60_000);
  const at = times.instant(begin) ?? 0;
  const count = figures
    ? filled(texts.viewers, { count: times.count(figures.uv) })
    : texts.not_counted;
  return (
    <>
      <TimeShown at={at} now={now} isBoth />
      <span class={end === '' ? 'live-text small-text' : 'soft small-text'}>
        {end === '' ? texts.on_air : count}
      </span>
    </>
  );
}
