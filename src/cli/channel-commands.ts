// `footlight channel rotate-key`.
import { accountOfChannel, rotateKey } from '../library/channels/channel-store.ts';
import { rtmpAddress } from './addresses.ts';
import { type Command, oneId, printLine, withStore } from './command.ts';

export const channelCommands: Command[] = [
  {
    name: 'channel rotate-key',
    usage: 'channel rotate-key N',
    sentence: 'Give channel N a new publish key; a push with the old one is cut within 5 seconds.',
    run: async (words, config) => {
      const id = oneId(words, 'the channel id');
      const { stream_key } = await withStore(config, async (store) => {
        const owner = { account_id: await accountOfChannel(store, id), manager_id: 0 };
        return await store.perform(rotateKey, { id, owner });
      });
      printLine({ id, rtmp_publish_addr: `${rtmpAddress(config)}/live/${stream_key}` });
      return 0;
    },
  },
];
