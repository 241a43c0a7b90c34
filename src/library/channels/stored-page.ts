// The page settings as a channel's row keeps them: the set fields, as JSON.

/** Fields to set, and names of fields that go back to their default. */
export interface PageChange {
  set: Record<string, unknown>;
  clear: string[];
}

export const emptyPage = '{}';

/** The names of the fields in which two pages differ. */
export function changedFields(before: string, after: string): string[] {
  const [old, now]: Record<string, unknown>[] = [JSON.parse(before), JSON.parse(after)];
  const names = new Set([...Object.keys(old ?? {}), ...Object.keys(now ?? {})]);
  return [...names].filter((name) => old?.[name] !== now?.[name]).sort();
}

/** The page as it is stored, with a change laid over it: only set fields, as JSON, so a new field needs no new column. */
export function changedPage(stored: string, { set, clear }: PageChange): string {
  const values: Record<string, unknown> = { ...JSON.parse(stored), ...set };
  for (const name of clear) delete values[name];
  return JSON.stringify(values);
}
