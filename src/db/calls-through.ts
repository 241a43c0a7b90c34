// A store whose every call goes one way: what `endable-store.ts` and `patient-store.ts` are made of.
import type { Soon, Sql, Store } from './sql.ts';

/** How one call is made. */
type Way = <T>(call: () => Soon<T>) => Soon<T>;

export function callsThrough(store: Store, way: Way): Store {
  const through = (sql: Sql): Sql => ({
    dialect: sql.dialect,
    all: (text, params) => way(() => sql.all(text, params)),
    one: (text, params) => way(() => sql.one(text, params)),
    run: (text, params) => way(() => sql.run(text, params)),
  });
  return {
    ...store,
    ...through(store),
    for: (whose) => through(store.for(whose)),
    perform: async (operation, input) => way(() => store.perform(operation, input)),
  };
}
