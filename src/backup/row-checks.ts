// What values of a backup's rows must be beside their kind: whatever else the service would do with them cannot be undone.
import { isPlainName } from '../base/lib/plain-name.ts';
import { imageTypes } from '../library/images/image-limits.ts';

/** What is wrong with a value; undefined where nothing is. */
type Check = (value: unknown) => string | undefined;

const fileName: Check = (value) =>
  typeof value === 'string' && !isPlainName(value) ? 'is no name of a file of ours' : undefined;

/** By table and column. Null, and values of another kind, are for the table itself to take or not. */
const checks: Readonly<Record<string, Readonly<Record<string, Check>>>> = {
  videos: { recording: fileName },
  uploads: { id: fileName, recording: fileName },
  images: {
    // Of no file, but of an address.
    id: fileName,
    type: (value) =>
      typeof value === 'string' && !(imageTypes as readonly string[]).includes(value)
        ? 'is no type of a picture'
        : undefined,
  },
};

/** Throws with the column and what is wrong, where a row of the table is none that this program writes. */
export function rowCheck(
  table: string,
  columns: readonly string[],
): (row: readonly unknown[]) => void {
  const checked = columns.flatMap((column, at) => {
    const check = checks[table]?.[column];
    return check ? [{ column, at, check }] : [];
  });
  return (row) => {
    for (const { column, at, check } of checked) {
      const problem = check(row[at]);
      if (problem !== undefined) throw new Error(`its ${column} ${problem}`);
    }
  };
}
