// A store whose every call goes one way: what `endable-store.ts` and `patience.ts` are made of.
import type { Soon, Sql, Store } from './sql.ts';

/** How one call is made. */
type Way = <T>(call: () => Soon<T>, kind: 'read' | 'write') => Soon<T>;

export function callsThrough(store: Store, way: Way): Store {
  const through = (sql: Sql): Sql => ({
    dialect: sql.dialect,
    all: (text, params) => way(() => sql.all(text, params), 'read'),
    one: (text, params) => way(() => sql.one(text, params), 'read'),
    run: (text, params) => way(() => sql.run(text, params), 'write'),
  });
  return {
    ...store,
    ...through(store),
    for: (whose) => through(store.for(whose)),
    perform: async (operation, input) =>
      way(() => store.perform(operation, input), operation.kind === 'read' ? 'read' : 'write'),
  };
}
