// A table that has not come yet: it takes the room of what comes, and says that it loads.
import { useTexts } from '../console-parts.ts';
import { CardsTable, type Column } from './cards-table.tsx';
import { Skeleton } from './skeleton.tsx';

/** As many as fill a screen, by the width of their names. */
const placesKept = [22, 14, 30, 18, 26, 16];

/** `columns` are those behind the first, which has a picture and a name. */
export function CardsTableLoading(props: {
  label: string;
  nameTitle: string;
  columns: Column<number>[];
}) {
  const { common } = useTexts();
  const { label, nameTitle, columns } = props;
  const name: Column<number> = {
    key: 'name',
    title: nameTitle,
    isHead: true,
    cell: (width) => (
      <span class="name-cell">
        <span class="picture" />
        <Skeleton width={width} />
      </span>
    ),
  };
  return (
    <div aria-busy="true">
      <p class="unseen" role="status">
        {common.loading}
      </p>
      <CardsTable
        label={label}
        columns={[name, ...columns]}
        rows={placesKept}
        keyOf={(width) => width}
      />
    </div>
  );
}
