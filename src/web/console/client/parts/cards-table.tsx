// A table that becomes cards where there is no room for its columns.
import type { ComponentChildren } from 'preact';

export interface Column<Row> {
  key: string;
  title: string;
  /** Of a card the first line, without a name beside it. */
  isHead?: boolean;
  /** Of a card: it says by itself what it is. */
  isPlain?: boolean;
  isNumber?: boolean;
  /** What can be done with the row: at its end, of a card in its corner. */
  isActions?: boolean;
  /** Null where there is nothing to say. */
  cell(row: Row): ComponentChildren;
}

export function CardsTable<Row>(props: {
  label: string;
  columns: Column<Row>[];
  rows: Row[];
  keyOf(row: Row): number | string;
}) {
  const { label, columns, rows, keyOf } = props;
  return (
    <table class="cards-table" aria-label={label}>
      <thead>
        <tr>
          {columns.map(({ key, title, isNumber, isActions }) => (
            <th key={key} scope="col" class={isNumber ? 'of-number' : undefined}>
              {isActions ? <span class="unseen">{title}</span> : title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)}>
            {columns.map((column) => (
              <Cell key={column.key} column={column} row={row} />
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Cell<Row>({ column, row }: { column: Column<Row>; row: Row }) {
  const { title, isHead, isPlain, isNumber, isActions } = column;
  const shown = column.cell(row);
  const classes = [
    isHead && 'head',
    isNumber && 'of-number',
    isActions && 'row-actions',
    shown === null && 'none',
  ];
  return (
    <td
      data-title={isHead || isPlain || isActions ? undefined : title}
      class={classes.filter(Boolean).join(' ')}
    >
      {shown}
    </td>
  );
}
