// What of a show's viewers is looked at: kept in the address, so that a link shows the same and back undoes.

export const groupFilters = ['place', 'device', 'browser', 'source'] as const;
export type GroupFilter = (typeof groupFilters)[number];

export const minuteFilters = ['came', 'left', 'seen'] as const;
export type MinuteFilter = (typeof minuteFilters)[number];

export type ShowFilter = Partial<Record<GroupFilter, string> & Record<MinuteFilter, number>>;

/** Where in a show one is. */
export interface ShowPlace {
  filter: ShowFilter;
  /** The second that is looked at, from the show's beginning on. */
  at: number | undefined;
}

export function readShowPlace(query: string): ShowPlace {
  const given = new URLSearchParams(query);
  const filter: ShowFilter = {};
  for (const name of groupFilters) {
    const value = given.get(name);
    if (value) filter[name] = value;
  }
  for (const name of minuteFilters) {
    const value = wholeNumber(given.get(name));
    if (value !== undefined) filter[name] = value;
  }
  return { filter, at: wholeNumber(given.get('at')) };
}

/** As it stands in the address, with its question mark; empty where all are looked at. */
export function writeShowPlace({ filter, at }: ShowPlace): string {
  const query = filterQuery(filter);
  if (at !== undefined) query.set('at', String(at));
  return query.size > 0 ? `?${query}` : '';
}

/** As the service is asked. */
export function filterQuery(filter: ShowFilter): URLSearchParams {
  const query = new URLSearchParams();
  for (const name of [...groupFilters, ...minuteFilters]) {
    const value = filter[name];
    if (value !== undefined) query.set(name, String(value));
  }
  return query;
}

/** The same with this one more; without it where it is there already, so that a second click undoes the first. */
export function toggled<K extends keyof ShowFilter>(
  filter: ShowFilter,
  name: K,
  value: NonNullable<ShowFilter[K]>,
): ShowFilter {
  return filter[name] === value ? without(filter, name) : { ...filter, [name]: value };
}

export function without(filter: ShowFilter, name: keyof ShowFilter): ShowFilter {
  const { [name]: _, ...rest } = filter;
  return rest;
}

export function isWhole(filter: ShowFilter): boolean {
  return filterQuery(filter).size === 0;
}

function wholeNumber(text: string | null): number | undefined {
  return text !== null && /^\d{1,7}$/.test(text) ? Number(text) : undefined;
}
