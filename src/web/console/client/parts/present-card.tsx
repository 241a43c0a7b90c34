// Who is here now: those who came last, and how many more there are.
import { filled } from '../../../pages/client/page-elements.ts';
import { useTexts, useTimes } from '../console-parts.ts';
import type { Present, PresentViewer } from '../service-answers.ts';
import { useAnswer } from '../use-answer.ts';
import { Skeleton } from './skeleton.tsx';

const presentEveryMs = 5_000;
/** As many as one looks at; the audience's own view lists all. */
const shownMax = 12;

export function PresentCard({ id }: { id: number }) {
  const { control: texts } = useTexts();
  const times = useTimes();
  const path = `/manage/v1/channels/${id}/present?perPage=${shownMax}`;
  const { value, problem } = useAnswer<Present>(path, { everyMs: presentEveryMs });
  if (!value && problem) return null;
  const others = value ? value.meta.total - value.viewers.length : 0;
  return (
    <section class="card panel" aria-label={texts.here} aria-busy={!value}>
      <header class="panel-head">
        <h2>{texts.here}</h2>
        {value && <span class="tab-count">{times.count(value.meta.total)}</span>}
      </header>
      {!value ? (
        <Skeleton width={24} />
      ) : value.viewers.length === 0 ? (
        <p class="soft">{texts.here_empty}</p>
      ) : (
        <ul class="present">
          {value.viewers.map((viewer) => (
            <ViewerShown key={viewer.user_id} viewer={viewer} />
          ))}
        </ul>
      )}
      {others > 0 && (
        <p class="soft small-text">{filled(texts.here_more, { count: times.count(others) })}</p>
      )}
    </section>
  );
}

function ViewerShown({ viewer }: { viewer: PresentViewer }) {
  const { control: texts } = useTexts();
  const times = useTimes();
  const { nick, addr, device, browser, since, playing, muted } = viewer;
  const at = times.instant(since);
  const facts = [
    addr,
    [device, browser].filter(Boolean).join(' · '),
    at === undefined ? '' : filled(texts.here_since, { time: times.minute(at) }),
  ];
  return (
    <li class="present-viewer">
      <span class="present-dot" data-playing={playing} title={playing ? texts.plays : texts.idle}>
        <span class="unseen">{playing ? texts.plays : texts.idle}</span>
      </span>
      <span class="present-name">
        <b dir="auto">{nick || texts.guest}</b>
        {muted && <span class="tag">{texts.is_muted}</span>}
      </span>
      <span class="soft small-text">{facts.filter(Boolean).join(' · ')}</span>
    </li>
  );
}
