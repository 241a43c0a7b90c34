// Who has registered: when, with what, and whether they came; as a file, and taken back one by one.
import { filled } from '../../../pages/client/page-elements.ts';
import { useConsole, useTexts, useTimes } from '../console-parts.ts';
import { paths } from '../console-place.ts';
import type { Access, Registration, RegistrationList } from '../service-answers.ts';
import { useAct } from '../use-act.ts';
import { usePagedAnswer } from '../use-paged-answer.ts';
import { AnswerFacts } from './answer-facts.tsx';
import { AnswerList } from './answer-list.tsx';
import { Button } from './button.tsx';
import { CardsTable, type Column } from './cards-table.tsx';
import { ConsoleIcon } from './console-icon.tsx';
import { EmptyState } from './empty-state.tsx';
import { Pager } from './pager.tsx';
import { When } from './when.tsx';

const perPage = 50;
/** People register while one looks. */
const lookEveryMs = 10_000;

/** `channel`: by which its viewers are shown; `form` as it is now. */
export function AccessRegistrations(props: {
  thing: string;
  channel: number | undefined;
  form: Access['form'];
}) {
  const { thing } = props;
  const { access: words } = useTexts();
  const times = useTimes();
  const path = `${thing}/registrations`;
  const { answered, turnTo } = usePagedAnswer<RegistrationList>(path, {
    perPage,
    everyMs: lookEveryMs,
  });
  const total = answered.value?.meta.total ?? 0;
  return (
    <section class="card panel" aria-label={words.registrations}>
      <h2>{words.registrations}</h2>
      <AnswerList
        answered={answered}
        isEmpty={({ meta }) => meta.total === 0}
        empty={<EmptyState icon="people" title={words.no_registrations} />}
      >
        {(list) => (
          <>
            <p class="registrations-head">
              <span>{filled(words.registered, { count: times.count(total) })}</span>
              <a class="press usual small" href={`${path}.csv`} download>
                <ConsoleIcon name="download" />
                <span>{words.registrations_file}</span>
              </a>
            </p>
            <RegistrationTable {...props} list={list} onTaken={answered.reload} />
            <Pager p={list.meta.current} pages={list.meta.page} onTurn={turnTo} />
          </>
        )}
      </AnswerList>
    </section>
  );
}

function RegistrationTable(props: {
  thing: string;
  channel: number | undefined;
  form: Access['form'];
  list: RegistrationList;
  onTaken(): void;
}) {
  const { thing, channel, form, list, onTaken } = props;
  const { api } = useConsole();
  const { access: words } = useTexts();
  const act = useAct();
  const takeBack = async ({ id }: Registration) => {
    const reply = api.post(`${thing}/access/revoke`, { registration: id });
    if (await act.run(reply, words.taken_back)) onTaken();
  };
  const columns: Column<Registration>[] = [
    {
      key: 'answers',
      title: words.column_answers,
      isHead: true,
      cell: ({ answers }) => <AnswerFacts answers={answers} form={form} />,
    },
    {
      key: 'when',
      title: words.column_registered,
      cell: (row) => {
        const when = <When text={row.registered_at} never="" />;
        if (channel === undefined || row.visit_times === 0) return when;
        return <a href={paths.viewer(channel, row.viewer_id)}>{when}</a>;
      },
    },
    {
      key: 'visits',
      title: words.column_visits,
      isNumber: true,
      cell: ({ visit_times }) => String(visit_times),
    },
    {
      key: 'back',
      title: words.column_actions,
      isActions: true,
      cell: (row) =>
        row.ended_at === '' ? (
          <Button kind="quiet" isSmall onClick={() => takeBack(row)}>
            {words.take_back}
          </Button>
        ) : (
          <span class="soft small-text">{words.taken_back}</span>
        ),
    },
  ];
  return (
    <CardsTable
      label={words.registrations}
      columns={columns}
      rows={list.registrations}
      keyOf={({ id }) => id}
    />
  );
}
