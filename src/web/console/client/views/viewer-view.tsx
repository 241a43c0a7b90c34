// One viewer of a channel: who they are, every visit as a strip of what was watched, what they said, and what can be done.
import type { ComponentChildren } from 'preact';
import { linesMax, visitsMax } from '../../../../audience/reports/viewer-visits-limits.ts';
import { filled } from '../../../pages/client/page-elements.ts';
import { useTexts, useTimes } from '../console-parts.ts';
import { paths } from '../console-place.ts';
import { AnswerFacts } from '../parts/answer-facts.tsx';
import { CardsTable, type Column } from '../parts/cards-table.tsx';
import { ConsoleIcon } from '../parts/console-icon.tsx';
import { ProblemState } from '../parts/problem-state.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import { TimeShown } from '../parts/time-shown.tsx';
import { ViewerActions } from '../parts/viewer-actions.tsx';
import { VisitStrips } from '../parts/visit-strips.tsx';
import type { ViewerVisits } from '../service-answers.ts';
import { useAnswer } from '../use-answer.ts';
import { useNow } from '../use-now.ts';
import { AbsentView } from './absent-view.tsx';

/** Who is here now goes on watching. */
const visitsEveryMs = 10_000;

export function ViewerView({ id, viewer }: { id: number; viewer: string }) {
  const { viewer: texts, common } = useTexts();
  const path = `/manage/v1/channels/${id}/viewers/${encodeURIComponent(viewer)}`;
  const answered = useAnswer<ViewerVisits>(path, { everyMs: visitsEveryMs });
  const { value: visits, problem, reload } = answered;
  if (problem?.status === 404) return <AbsentView />;
  if (!visits && problem) return <ProblemState problem={problem} onRetry={reload} />;
  return (
    <article class="viewer-view" aria-busy={!visits}>
      <p class="no-print">
        <a class="press quiet small" href={paths.channel(id, 'audience')}>
          <ConsoleIcon name="left" />
          <span>{texts.back}</span>
        </a>
      </p>
      {visits ? (
        <Known id={id} visits={visits} onChanged={reload} />
      ) : (
        <p>
          <span class="unseen">{common.loading}</span>
          <Skeleton width={24} />
        </p>
      )}
    </article>
  );
}

function Known(props: { id: number; visits: ViewerVisits; onChanged(): void }) {
  const { viewer: texts, control } = useTexts();
  const { id, visits } = props;
  const { viewer, chat, shares } = visits;
  const time = useTime();
  return (
    <>
      <header class="viewer-head">
        <h2 dir="auto">{viewer.nick || control.guest}</h2>
        <ViewerActions {...props} />
      </header>
      <Who visits={visits} />
      {visits.registrations.map(({ video_id, answers, registered_at }) => (
        <Part
          key={video_id ?? 0}
          title={video_id === null ? texts.registered : texts.registered_video}
          isEmpty={false}
          none=""
        >
          <p class="soft small-text">{time(registered_at)}</p>
          <AnswerFacts answers={answers} form={[]} />
        </Part>
      ))}
      <Part title={texts.watched} isEmpty={visits.shows.length === 0} none={texts.watched_none}>
        <VisitStrips id={id} visits={visits} />
      </Part>
      <Part title={texts.said} isEmpty={chat.length === 0} none={texts.said_none}>
        <ul class="said">
          {chat.map((line) => (
            <li key={line.id}>
              <span class="soft small-text">{time(line.sent_at)}</span>{' '}
              <span dir="auto">{line.text}</span>
            </li>
          ))}
        </ul>
        <NotAll shown={chat.length} max={linesMax} sentence={texts.said_newest} />
      </Part>
      {shares.length > 0 && (
        <Part title={texts.shared} isEmpty={false} none="">
          <ul class="said">
            {shares.map((at) => (
              <li key={at}>{time(at)}</li>
            ))}
          </ul>
          <NotAll shown={shares.length} max={linesMax} sentence={texts.shared_newest} />
        </Part>
      )}
      <Visits sessions={visits.sessions} />
    </>
  );
}

function Who({ visits: { viewer, silences } }: { visits: ViewerVisits }) {
  const { viewer: texts } = useTexts();
  const times = useTimes();
  const time = useTime();
  const facts: [string, ComponentChildren][] = [
    [texts.viewer_id, <span class="mono">{viewer.visitor_id}</span>],
    [texts.phone, viewer.phone],
    [texts.place, viewer.addr],
    [texts.device, [viewer.device, viewer.browser].filter(Boolean).join(' · ')],
    [texts.source, viewer.referer],
    [texts.first_seen, time(viewer.first_login_time)],
    [texts.last_seen, time(viewer.last_online_time)],
    [texts.watch_time, viewer.watch_time],
    [texts.visit_times, times.count(viewer.visit_times)],
    [texts.comment_count, times.count(viewer.comment_count)],
    [texts.share_times, times.count(viewer.share_times)],
    [
      texts.silenced,
      silences.map(({ kind }) => (kind === 'mute' ? texts.is_muted : texts.is_banned)).join(', '),
    ],
  ];
  return (
    <dl class="card panel facts-list viewer-facts">
      {facts
        .filter(([, value]) => value !== '' && value !== null)
        .map(([name, value]) => (
          <div key={name} class="fact">
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}

function Part(props: {
  title: string;
  isEmpty: boolean;
  none: string;
  children: ComponentChildren;
}) {
  return (
    <section class="card panel" aria-label={props.title}>
      <h2>{props.title}</h2>
      {props.isEmpty ? <p class="soft">{props.none}</p> : props.children}
    </section>
  );
}

type Visit = ViewerVisits['sessions'][number];

function Visits({ sessions }: { sessions: Visit[] }) {
  const { viewer: texts } = useTexts();
  const time = useTime();
  const columns: Column<Visit>[] = [
    { key: 'came', title: texts.came, isHead: true, cell: ({ entered }) => time(entered) },
    { key: 'left', title: texts.left, cell: ({ left }) => time(left) },
    { key: 'place', title: texts.place, cell: ({ addr }) => addr || null },
    {
      key: 'device',
      title: texts.device,
      cell: ({ device, browser }) => [device, browser].filter(Boolean).join(' · ') || null,
    },
    { key: 'source', title: texts.source, cell: ({ origin }) => origin || null },
    {
      key: 'watched',
      title: texts.watch_time,
      isNumber: true,
      cell: ({ watch_time }) => watch_time,
    },
  ];
  return (
    <>
      <CardsTable
        label={texts.visits}
        columns={columns}
        rows={sessions}
        keyOf={({ record_id }) => record_id}
      />
      <NotAll shown={sessions.length} max={visitsMax} sentence={texts.visits_newest} />
    </>
  );
}

/** The service tells the newest of each; as many as it tells at most may be not all. */
function NotAll(props: { shown: number; max: number; sentence: string }) {
  const times = useTimes();
  const { shown, max, sentence } = props;
  if (shown < max) return null;
  return <p class="soft small-text">{filled(sentence, { count: times.count(max) })}</p>;
}

function useTime() {
  const times = useTimes();
  const now = useNow(60_000);
  return (text: string) => {
    const at = times.instant(text);
    return at === undefined ? null : <TimeShown at={at} now={now} />;
  };
}
