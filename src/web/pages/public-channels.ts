// The public channels as the front page shows them, remembered for a few seconds: whoever comes costs no query.
import type { Sql } from '../../base/db/sql.ts';
import { listPublic, type PublicList } from '../../library/channels/public-channel-store.ts';

/** Of each list: a page that anyone may ask for stays short. */
const channelsMax = 24;
/** A show that begins is on the front page no later than this. */
const rememberedMs = 3_000;

export function publicChannels({ now }: { now: () => number }) {
  let last: { at: number; list: Promise<PublicList> } | undefined;
  return {
    /** Where it is not remembered it is read in the line of who asks. */
    look: async (sql: Sql): Promise<PublicList> => {
      const at = now();
      if (last && at - last.at < rememberedMs && at >= last.at) return await last.list;
      const looked = { at, list: listPublic(sql, { now: at, limit: channelsMax }) };
      last = looked;
      looked.list.catch(() => {
        if (last === looked) last = undefined;
      });
      return await looked.list;
    },
  };
}
