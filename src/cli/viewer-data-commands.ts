// `footlight viewer export|erase`: everything that is known of one viewer.
import { eraseViewerEverywhere, type ViewerQuery } from '../audience/privacy/viewer-data-store.ts';
import { openViewerExport } from '../audience/privacy/viewer-export.ts';
import type { Store } from '../base/db/sql.ts';
import { accountOfChannel } from '../library/channels/channel-store.ts';
import {
  type Command,
  printLine,
  readOptions,
  required,
  wholeNumber,
  withStore,
} from './command.ts';

export const viewerDataCommands: Command[] = [
  {
    name: 'viewer export',
    audit: 'viewers',
    isTaken: true,
    usage: 'viewer export --uid TEXT [--account N] [--channel N]',
    sentence: 'Everything that is known of one viewer, one JSON line a row.',
    run: async (words, config) => {
      const asked = readViewer(words);
      await withStore(config, async (store) => {
        const next = await openViewerExport(store, await queryOf(store, asked));
        for (let piece = await next(); piece !== undefined; piece = await next())
          await Bun.write(Bun.stdout, piece);
      });
      return 0;
    },
  },
  {
    name: 'viewer erase',
    audit: 'viewers',
    usage: 'viewer erase --uid TEXT [--account N] [--channel N]',
    sentence:
      'Erase one viewer for ever: watch records, visitors, chat messages, mutes and bans; one JSON line a channel.',
    run: async (words, config) => {
      const asked = readViewer(words);
      const erased = await withStore(config, async (store) =>
        eraseViewerEverywhere(store, await queryOf(store, asked)),
      );
      for (const { message_ids, ...counts } of erased)
        printLine({ ...counts, messages: message_ids.length });
      return 0;
    },
  },
];

function readViewer(words: string[]) {
  const { options } = readOptions(words, ['uid', 'account', 'channel']);
  const number = (text: string | undefined, option: string) =>
    text === undefined ? undefined : wholeNumber(text, option);
  return {
    viewer_id: required(options.uid, '--uid'),
    account: number(options.account, '--account'),
    channel_id: number(options.channel, '--channel'),
  };
}

/** A channel says whose it is, also a deleted one; without one the first account is meant. */
async function queryOf(
  store: Store,
  { viewer_id, account, channel_id }: ReturnType<typeof readViewer>,
): Promise<ViewerQuery> {
  const owner =
    channel_id === undefined
      ? 1
      : await accountOfChannel(store, channel_id, { mayBeDeleted: true });
  const account_id = account ?? owner;
  if (channel_id !== undefined && account_id !== owner)
    throw new Error(`channel ${channel_id} is not of account ${account_id}`);
  return { account_id, viewer_id, channel_id };
}
