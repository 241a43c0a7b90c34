// What was deleted and can be brought back: since when, until when, and a button that does it.
import { filled } from '../../../pages/client/page-elements.ts';
import { useConsole, useTexts } from '../console-parts.ts';
import { useAct } from '../use-act.ts';
import type { Answered } from '../use-answer.ts';
import { AnswerList } from './answer-list.tsx';
import { Button } from './button.tsx';
import { CardsTable, type Column } from './cards-table.tsx';
import { EmptyState } from './empty-state.tsx';
import { Pager } from './pager.tsx';
import { When } from './when.tsx';

interface Deleted {
  id: number;
  name: string;
  deleted_at: string;
  /** Until when it can be brought back. */
  goes_at: string;
}

interface Page {
  meta: { total: number; page: number; current: number };
}

export function DeletedList<A extends Page, Row extends Deleted>(props: {
  answered: Answered<A>;
  rowsOf(answer: A): Row[];
  /** What the list is of, and what its first column is called. */
  label: string;
  column: string;
  /** Said beside the name. */
  moreOf(row: Row): string;
  /** Asked by POST. */
  restorePath(id: number): string;
  hrefOf(p: number): string;
}) {
  const { api, answers } = useConsole();
  const { deleted: texts } = useTexts();
  const { answered, rowsOf, moreOf } = props;
  const act = useAct();
  const restore = async ({ id, name }: Row) => {
    const said = filled(texts.restored, { name });
    const isBack = await act.run(api.post(props.restorePath(id)), said);
    // Lists that were remembered lack it.
    if (isBack) answers.clear();
    answered.reload();
  };
  const columns: Column<Row>[] = [
    {
      key: 'name',
      title: props.column,
      isHead: true,
      cell: (row) => (
        <span class="name-lines">
          <strong dir="auto">{row.name}</strong>
          <span class="soft small-text">{moreOf(row)}</span>
        </span>
      ),
    },
    {
      key: 'deleted',
      title: texts.column_deleted,
      cell: ({ deleted_at }) => <When text={deleted_at} isRelative />,
    },
    {
      key: 'until',
      title: texts.column_until,
      cell: ({ goes_at }) => <When text={goes_at} />,
    },
    {
      key: 'restore',
      title: texts.column_restore,
      isActions: true,
      cell: (row) => (
        <Button
          isSmall
          isBusy={act.isBusy}
          label={filled(texts.restore_one, { name: row.name })}
          onClick={() => restore(row)}
        >
          {texts.restore}
        </Button>
      ),
    },
  ];
  return (
    <AnswerList
      answered={answered}
      isEmpty={({ meta }) => meta.total === 0}
      empty={
        <EmptyState icon="trash" title={texts.empty}>
          {texts.empty_more}
        </EmptyState>
      }
    >
      {(answer) => (
        <>
          <p class="soft">{texts.more}</p>
          <CardsTable
            label={props.label}
            columns={columns}
            rows={rowsOf(answer)}
            keyOf={({ id }) => id}
          />
          <Pager p={answer.meta.current} pages={answer.meta.page} hrefOf={props.hrefOf} />
        </>
      )}
    </AnswerList>
  );
}
