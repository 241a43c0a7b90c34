// `footlight channel rotate-key|delete|restore|deleted`.
import type { Store } from '../base/db/sql.ts';
import { accountOfChannel, rotateKey } from '../library/channels/channel-store.ts';
import { deletedView, keptMsOf } from '../library/deletion/deleted-channel.ts';
import {
  deleteChannel,
  listDeleted,
  restoreChannel,
} from '../library/deletion/deleted-channel-store.ts';
import { rtmpAddress } from './addresses.ts';
import {
  type Command,
  oneId,
  printAll,
  printLine,
  readOptions,
  wholeNumber,
  withStore,
} from './command.ts';

export const channelCommands: Command[] = [
  {
    name: 'channel rotate-key',
    audit: 'channels',
    usage: 'channel rotate-key N',
    sentence: 'Give channel N a new publish key; a push with the old one is cut within 5 seconds.',
    run: async (words, config) => {
      const id = oneId(words, 'the channel id');
      const { stream_key } = await withStore(config, async (store) =>
        store.perform(rotateKey, { id, owner: await ownerOfChannel(store, id) }),
      );
      printLine({ id, rtmp_publish_addr: `${rtmpAddress(config)}/live/${stream_key}` });
      return 0;
    },
  },
  {
    name: 'channel delete',
    audit: 'channels',
    usage: 'channel delete N',
    sentence:
      'Delete channel N with its videos and records; it can be restored for DELETED_CHANNEL_DAYS.',
    run: async (words, config) => {
      const id = oneId(words, 'the channel id');
      await withStore(config, async (store) => {
        const owner = await ownerOfChannel(store, id);
        await store.perform(deleteChannel, { id, owner, now: Date.now() });
      });
      printLine({ id, result: 'success' });
      return 0;
    },
  },
  {
    name: 'channel restore',
    audit: 'channels',
    usage: 'channel restore N',
    sentence: 'Bring a deleted channel back with all that was its own.',
    run: async (words, config) => {
      const id = oneId(words, 'the channel id');
      const { name } = await withStore(config, async (store) => {
        const owner = await ownerOfChannel(store, id, { mayBeDeleted: true });
        const order = { id, owner, keptMs: keptMsOf(config), now: Date.now() };
        return await store.perform(restoreChannel, order);
      });
      printLine({ id, name });
      return 0;
    },
  },
  {
    name: 'channel deleted',
    audit: 'nothing',
    usage: 'channel deleted [--account N]',
    sentence: 'Deleted channels that can be restored, the last deleted first, one JSON line each.',
    run: async (words, config) => {
      const { options } = readOptions(words, ['account']);
      const account_id = wholeNumber(options.account ?? '1', '--account');
      const keptMs = keptMsOf(config);
      const asked = { owner: { account_id, manager_id: 0 }, keptMs, now: Date.now() };
      await withStore(config, (store) =>
        printAll(
          (page) => store.perform(listDeleted, { ...asked, ...page }),
          (row) => deletedView(row, { zone: config.zone, keptMs }),
        ),
      );
      return 0;
    },
  },
];

async function ownerOfChannel(store: Store, id: number, how: { mayBeDeleted?: boolean } = {}) {
  return { account_id: await accountOfChannel(store, id, how), manager_id: 0 };
}
