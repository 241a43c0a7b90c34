// What a command prints: tables for people on a terminal, JSON lines for programs; remarks beside them.
import { CommandError, isClosedPipe } from './exit-codes.ts';
import { Progress, type ProgressOptions } from './progress.ts';

/** One of the process's streams, as far as it is used here. */
export interface Stream {
  isTerminal: boolean;
  /** Of the terminal, in characters. */
  columns: number;
  /** Resolves when it is taken. */
  write(text: string | Uint8Array): Promise<void>;
}

export interface OutputOptions {
  out: Stream;
  err: Stream;
  json: boolean;
  quiet: boolean;
  monotonicMs: () => number;
}

/** A list that is printed as it is read. */
export interface Listing<Row> {
  add(rows: readonly Row[]): Promise<void>;
  /** What was held back to be aligned. */
  end(): Promise<void>;
}

/** A field by its name, or what else is shown of a row, with a title. */
export type Column<Row> =
  | (keyof Row & string)
  | readonly [title: string, of: (row: Row) => unknown];

/** So many rows decide how wide the columns are; the rest follows them. */
const alignedRows = 200;
/** Of a list on a terminal; longer text is cut. */
const cellWidthMax = 48;

export class Output {
  private readonly options: OutputOptions;

  constructor(options: OutputOptions) {
    this.options = options;
  }

  get isJson(): boolean {
    return this.options.json;
  }

  /** Whether a person reads what is printed. */
  get isForPeople(): boolean {
    return this.options.out.isTerminal && !this.options.json;
  }

  /** One JSON object a line, for people and for programs. */
  async line(value: object): Promise<void> {
    await this.options.out.write(`${JSON.stringify(value)}\n`);
  }

  /** One thing: a field a line on a terminal, else as JSON. */
  async thing(value: object): Promise<void> {
    if (!this.isForPeople) return await this.line(value);
    const fields = fieldsOf(value);
    const width = Math.max(0, ...fields.map(([name]) => Bun.stringWidth(name)));
    await this.text(fields.map(([name, text]) => `${padded(name, width)}  ${text}`).join('\n'));
  }

  /**
   * Many: on a terminal a table of some of their fields, else each whole as JSON. With `isAtOnce` nothing is held back:
   * what is added is printed, and columns grow with it.
   */
  list<Row extends object>(
    columns: readonly Column<Row>[],
    { isAtOnce = false }: { isAtOnce?: boolean } = {},
  ): Listing<Row> {
    if (!this.isForPeople)
      return {
        add: async (rows) => {
          const text = rows.map((row) => `${JSON.stringify(row)}\n`).join('');
          if (text !== '') await this.options.out.write(text);
        },
        end: async () => {},
      };
    let held: string[][] = [columns.map((column) => titleOf(column))];
    let widths: number[] | undefined;
    const print = async () => {
      const rows = held;
      held = [];
      if (!widths || isAtOnce)
        widths = columns.map((_, at) =>
          Math.max(widths?.[at] ?? 0, ...rows.map((cells) => Bun.stringWidth(cells[at] ?? ''))),
        );
      for (const cells of rows)
        await this.text(
          cells
            .map((cell, at) => padded(cell, widths?.[at] ?? 0))
            .join('  ')
            .trimEnd(),
        );
    };
    return {
      add: async (rows) => {
        for (const row of rows)
          held.push(columns.map((column) => cut(shownValue(cellOf(column, row)), cellWidthMax)));
        if (isAtOnce || widths || held.length > alignedRows) await print();
      },
      end: async () => {
        if (held.length === 1 && !widths) await this.remark('there are none');
        else await print();
      },
    };
  }

  /** A list that is there whole. */
  async all<Row extends object>(
    rows: readonly Row[],
    columns: readonly Column<Row>[],
  ): Promise<void> {
    const listing = this.list<Row>(columns);
    await listing.add(rows);
    await listing.end();
  }

  /** What is not JSON where nobody asked for that: a token, a link, a sentence. */
  async text(text: string): Promise<void> {
    await this.options.out.write(`${text}\n`);
  }

  /** A piece of a file, as it is. One that is not whole is a failure, also where whoever took it has gone. */
  async raw(piece: string | Uint8Array): Promise<void> {
    try {
      await this.options.out.write(piece);
    } catch (error) {
      if (!isClosedPipe(error)) throw error;
      throw new CommandError('failed', 'whoever took it has gone before all was written', error);
    }
  }

  /** For who reads along; scripts need not. */
  async remark(text: string): Promise<void> {
    const { err, json, quiet } = this.options;
    if (!json && !quiet) await err.write(`${text}\n`);
  }

  /** What must be known, whoever reads along: a line of an import that is bad, say. */
  async warning(value: { message: string } & Record<string, unknown>): Promise<void> {
    const { err, json } = this.options;
    await err.write(`${json ? JSON.stringify(value) : value.message}\n`);
  }

  progress(given: Pick<ProgressOptions, 'what' | 'unit' | 'total'>): Progress {
    const { err, json, quiet, monotonicMs } = this.options;
    return new Progress({
      ...given,
      monotonicMs,
      isTerminal: err.isTerminal,
      columns: err.columns,
      write: json || quiet ? undefined : (text) => void err.write(text),
    });
  }
}

function titleOf<Row>(column: Column<Row>): string {
  return typeof column === 'string' ? column.replaceAll('_', ' ') : column[0];
}

function cellOf<Row>(column: Column<Row>, row: Row): unknown {
  return typeof column === 'string' ? row[column] : column[1](row);
}

/** Names of what lies within another with a dot between; a list of things as JSON. */
function fieldsOf(value: object, within = ''): [string, string][] {
  return Object.entries(value).flatMap(([name, one]): [string, string][] =>
    typeof one === 'object' && one !== null && !Array.isArray(one)
      ? fieldsOf(one, `${within}${name}.`)
      : [[within + name, shownValue(one)]],
  );
}

function shownValue(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value) && value.every((one) => typeof one !== 'object'))
    return visible(value.join(' '));
  return visible(typeof value === 'object' ? JSON.stringify(value) : String(value));
}

/** A name may hold what moves the cursor or colours what follows: it is shown, not done. */
function visible(text: string): string {
  return text.replace(/[\p{Cc}\p{Bidi_Control}]/gu, '\uFFFD');
}

function cut(text: string, widthMax: number): string {
  if (Bun.stringWidth(text) <= widthMax) return text;
  let shown = '';
  for (const character of text) {
    if (Bun.stringWidth(shown + character) >= widthMax) break;
    shown += character;
  }
  return `${shown}…`;
}

function padded(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - Bun.stringWidth(text)));
}
