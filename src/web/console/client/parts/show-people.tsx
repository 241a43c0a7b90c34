// Who watched a show, those who watched longest first.
import { useState } from 'preact/hooks';
import { filled } from '../../../pages/client/page-elements.ts';
import { useTexts, useTimes } from '../console-parts.ts';
import { paths } from '../console-place.ts';
import type { ShowPerson } from '../service-answers.ts';
import { lengthText } from '../times.ts';
import { Button } from './button.tsx';
import { CardsTable, type Column } from './cards-table.tsx';

/** As many as one reads without scrolling far. */
const shownMax = 20;

export function ShowPeople(props: { id: number; people: ShowPerson[]; all: number; each: number }) {
  const { shows: texts } = useTexts();
  const times = useTimes();
  const { id, people, all, each } = props;
  const columns = useColumns(id, each);
  const [isAll, showAll] = useState(false);
  return (
    <section class="people-of-show" aria-label={texts.people}>
      <h2>{texts.people}</h2>
      {all > people.length && (
        <p class="soft small-text">
          {filled(texts.people_most, {
            count: times.count(people.length),
            all: times.count(all),
          })}
        </p>
      )}
      {people.length > 0 && (
        <CardsTable
          label={texts.people}
          columns={columns}
          rows={isAll ? people : people.slice(0, shownMax)}
          keyOf={({ user_id }) => user_id}
        />
      )}
      {people.length > shownMax && !isAll && (
        <p class="no-print">
          <Button isSmall onClick={() => showAll(true)}>
            {filled(texts.all_of, { count: people.length })}
          </Button>
        </p>
      )}
    </section>
  );
}

function useColumns(id: number, each: number): Column<ShowPerson>[] {
  const { shows: texts, control } = useTexts();
  const minute = (at: number) => <span class="number">{lengthText(at * each * 60)}</span>;
  return [
    {
      key: 'name',
      title: texts.column_name,
      isHead: true,
      cell: ({ user_id, nick }) => (
        <a class="row-link" href={paths.viewer(id, user_id)} dir="auto">
          {nick || control.guest}
        </a>
      ),
    },
    { key: 'place', title: texts.column_place, cell: ({ place }) => place || null },
    { key: 'device', title: texts.column_device, cell: ({ device }) => device || null },
    {
      key: 'watched',
      title: texts.column_watched,
      isNumber: true,
      cell: ({ watch_seconds }) => lengthText(watch_seconds),
    },
    { key: 'came', title: texts.column_came, isNumber: true, cell: ({ came }) => minute(came) },
    { key: 'left', title: texts.column_left, isNumber: true, cell: ({ left }) => minute(left) },
  ];
}
