// `footlight viewer export|erase`: everything that is known of one viewer.
import {
  eraseViewerEverywhere,
  type ViewerQuery,
} from '../../audience/privacy/viewer-data-store.ts';
import { openViewerExport } from '../../audience/privacy/viewer-export.ts';
import type { Store } from '../../base/db/sql.ts';
import { accountOfChannel } from '../../library/channels/channel-store.ts';
import { type Command, command } from '../parts/command.ts';
import { withStore } from '../parts/command-database.ts';
import { notFound } from '../parts/exit-codes.ts';
import { needed, option } from '../parts/option.ts';
import { something, whole } from '../parts/value-kinds.ts';

const ofViewer = {
  uid: needed(something, 'Which viewer, by the id that watch records show.'),
  account: option(whole, 'Of which account; without it the first, or that of the channel.'),
  channel: option(whole, 'Only of this channel.'),
};

export const viewerDataCommands: readonly Command[] = [
  command({
    name: 'viewer export',
    audit: 'viewers',
    isTaken: true,
    sentence: 'Everything that is known of one viewer, one JSON line a row.',
    options: ofViewer,
    examples: ['viewer export --uid u-42 > u-42.ndjson'],
    run: async (asked, run) => {
      await withStore(run, async (store) => {
        const next = await openViewerExport(store, await queryOf(store, asked));
        for (let piece = await next(); piece !== undefined; piece = await next())
          await run.out.raw(piece);
      });
    },
  }),
  command({
    name: 'viewer erase',
    audit: 'viewers',
    sentence:
      'Erase one viewer for ever: watch records, visitors, chat messages, mutes and bans, registrations; one line a channel.',
    options: ofViewer,
    examples: ['viewer erase --uid u-42'],
    run: async (asked, run) => {
      const erased = await withStore(run, async (store) =>
        eraseViewerEverywhere(store, { ...(await queryOf(store, asked)), now: Date.now() }),
      );
      const shown = erased.map(({ message_ids, ...counts }) => ({
        ...counts,
        messages: message_ids.length,
      }));
      const [first] = shown;
      await run.out.all(shown, first ? (Object.keys(first) as (keyof typeof first)[]) : []);
    },
  }),
];

interface AskedViewer {
  uid: string;
  account: number | undefined;
  channel: number | undefined;
}

/** A channel says whose it is, also a deleted one; without one the first account is meant. */
async function queryOf(
  store: Store,
  { uid: viewer_id, account, channel: channel_id }: AskedViewer,
): Promise<ViewerQuery> {
  const owner =
    channel_id === undefined
      ? 1
      : await accountOfChannel(store, channel_id, { mayBeDeleted: true });
  const account_id = account ?? owner;
  if (channel_id !== undefined && account_id !== owner)
    throw notFound(`channel ${channel_id} is not of account ${account_id}`);
  return { account_id, viewer_id, channel_id };
}
