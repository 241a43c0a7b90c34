// What values of a backup's rows must be beside their kind: the service acts on these without a second look, and what it removes or signs by them cannot be taken back.
import { isPlainName } from '../base/lib/plain-name.ts';
import { isObjectKey } from '../base/objects/object-key.ts';
import { canonicalTag } from '../library/captions/language-tag.ts';
import { imageTypes } from '../library/images/image-limits.ts';

/** What is wrong with a value; undefined where nothing is. */
type Check = (value: unknown) => string | undefined;

const fileName: Check = (value) =>
  typeof value === 'string' && !isPlainName(value) ? 'is no name of a file of ours' : undefined;

const objectKey: Check = (value) =>
  typeof value === 'string' && !isObjectKey(value) ? 'is no name of an object of ours' : undefined;

/** As `takeServiceSecret` makes them, or longer: whoever can guess one signs in the service's name. */
const serviceSecret: Check = (value) =>
  typeof value === 'string' && !/^[0-9A-Za-z_-]{32,200}$/.test(value)
    ? 'is no secret of ours'
    : undefined;

const jsonObject: Check = (value) => {
  if (typeof value !== 'string') return undefined;
  try {
    const read: unknown = JSON.parse(value);
    if (typeof read === 'object' && read !== null && !Array.isArray(read)) return undefined;
  } catch {}
  return 'is no JSON object';
};

/** Of whatever has a name; what callers send is held to the same. */
const withoutNul: Check = (value) =>
  typeof value === 'string' && value.includes('\0') ? 'holds a NUL' : undefined;

const nameColumns: readonly string[] = [
  ...['name', 'folded_name', 'user_name', 'folded_user_name', 'username'],
  ...['who_name', 'manager_username'],
];

/** By table and column. Null, and values of another kind, are for the table itself to take or not. */
const checks: Readonly<Record<string, Readonly<Record<string, Check>>>> = {
  secrets: { value: serviceSecret },
  channels: { page: jsonObject },
  videos: { recording: fileName },
  segments: { push: fileName, key: objectKey },
  recorded_objects: { recording: fileName, key: objectKey },
  recording_stints: { recording: fileName, push: fileName },
  uploads: { id: fileName, recording: fileName },
  video_captions: {
    // Of an address, too.
    language: (value) =>
      typeof value === 'string' && canonicalTag(value) !== value ? 'is no language' : undefined,
    text: withoutNul,
  },
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
    const check =
      checks[table]?.[column] ?? (nameColumns.includes(column) ? withoutNul : undefined);
    return check ? [{ column, at, check }] : [];
  });
  return (row) => {
    // No database gives such a text; one takes it as something else, the other not at all.
    for (const [at, value] of row.entries())
      if (typeof value === 'string' && !value.isWellFormed())
        throw new Error(`its ${columns[at]} holds half a character`);
    for (const { column, at, check } of checked) {
      const problem = check(row[at]);
      if (problem !== undefined) throw new Error(`its ${column} ${problem}`);
    }
  };
}
