// `footlight channel list|show|create|rename|page|access|rotate-key|delete|restore|deleted`.
import { ApiError } from '../../base/api/errors.ts';
import { dateTime } from '../../base/api/fields.ts';
import { readPart } from '../../base/api/shape.ts';
import type { Store } from '../../base/db/sql.ts';
import { Zone } from '../../base/lib/time.ts';
import { countedAccount, createFirstAccount } from '../../library/access/account-store.ts';
import { channelViews } from '../../library/channels/channel.ts';
import {
  accountOfChannel,
  changePage,
  createChannel,
  findChannel,
  listChannels,
  renameChannel,
  rotateKey,
} from '../../library/channels/channel-store.ts';
import { pageFields } from '../../library/channels/page.ts';
import { deletedView, keptMsOf } from '../../library/deletion/deleted-channel.ts';
import {
  deleteChannel,
  listDeleted,
  restoreChannel,
} from '../../library/deletion/deleted-channel-store.ts';
import { rtmpAddress, siteAddress } from '../parts/addresses.ts';
import { type Command, command, type Run } from '../parts/command.ts';
import { printAll, withStore } from '../parts/command-database.ts';
import { UsageError } from '../parts/exit-codes.ts';
import { didYouMean } from '../parts/near-words.ts';
import { flag, type Kind, needed, option, several, usually, word } from '../parts/option.ts';
import { exact, name, whole } from '../parts/value-kinds.ts';
import { channelAccessCommand } from './channel-access-command.ts';

const channelId = word(
  whole,
  'the channel id',
  'Which channel; channel list says which there are.',
);

const pair: Kind<readonly [key: string, value: string]> = {
  value: 'KEY=VALUE',
  read: (text, named) => {
    const at = text.indexOf('=');
    if (at < 1) throw new UsageError(`${named} must be such as theme=tech (got "${text}")`);
    return [text.slice(0, at).trim(), text.slice(at + 1)];
  },
};

export const channelCommands: readonly Command[] = [
  command({
    name: 'channel list',
    audit: 'nothing',
    sentence: 'Channels of an account, the newest first.',
    options: {
      account: usually(whole, '1', 'Of which account.'),
      manager: option(whole, 'Only those of this manager; 0 for those of none.'),
      live: flag('Only those that are live now.'),
    },
    examples: ['channel list --live'],
    run: async ({ account: account_id, manager, live }, run) => {
      await withStore(run, async (store) => {
        const asCaller = await callerOf(store, account_id, run);
        const owner = { account_id, manager_id: 0 };
        await printAll(run.out, {
          read: (page) => store.perform(listChannels, { owner, live, manager, ...page }),
          shown: (row) => viewsOf(run).listed(row, asCaller),
          columns: [
            'id',
            'name',
            ['live', ({ live_status }) => (live_status === 1 ? 'yes' : '')],
            ['manager', ({ manager_username }) => manager_username],
            'last_push_stream_at',
            ['watch', ({ watch_url }) => watch_url.pc],
          ],
        });
      });
    },
  }),
  command({
    name: 'channel show',
    audit: 'nothing',
    sentence: 'A channel with its addresses and the settings of its page.',
    words: { id: channelId },
    examples: ['channel show 7'],
    run: async ({ id }, run) => {
      const shown = await withStore(run, async (store) => {
        const owner = await ownerOfChannel(store, id);
        const row = await findChannel(store, id, owner);
        const asCaller = await callerOf(store, owner.account_id, run);
        return { ...viewsOf(run).listed(row, asCaller), ...viewsOf(run).whole(row, asCaller) };
      });
      await run.out.thing(shown);
    },
  }),
  command({
    name: 'channel create',
    audit: 'channels',
    sentence: 'Make a channel; prints where to push to and where it is watched.',
    options: {
      name: needed(name, 'What it is called.'),
      account: usually(whole, '1', 'In which account.'),
      manager: usually(whole, '0', 'Of which manager; 0 for none.'),
      'start-time': option(
        { ...exact, value: 'TIME' },
        'When it will begin, as "2026-05-01 19:30:00" in TIME_ZONE.',
      ),
    },
    examples: ['channel create --name "Spring launch" --start-time "2026-05-01 19:30:00"'],
    run: async ({ name, account: account_id, manager: manager_id, ...given }, run) => {
      const { zone, channelsPerAccount: channelsMax } = run.config;
      const fields = { start_time: dateTime('live start time', zone) };
      const { start_time = null } = readPart(fields, { start_time: given['start-time'] });
      const owner = { account_id, manager_id: 0 };
      const page = pageFields(zone).change({ start_time });
      const now = Date.now();
      const shown = await withStore(run, async (store) => {
        await store.perform(createFirstAccount, { now });
        const asCaller = await callerOf(store, account_id, run);
        const order = { owner, name, manager_id, page, now, channelsMax, idempotency: undefined };
        const { row } = await store.perform(createChannel, order);
        return viewsOf(run).brief(row, asCaller);
      });
      await run.out.thing(shown);
    },
  }),
  command({
    name: 'channel rename',
    audit: 'channels',
    sentence: 'Give a channel another name; pages that are open show it within two seconds.',
    words: { id: channelId },
    options: { name: needed(name, 'What it is called from now on.') },
    examples: ['channel rename 7 --name "Summer launch"'],
    run: async ({ id, name }, run) => {
      const renamed = async (store: Store) =>
        store.perform(renameChannel, { id, name, owner: await ownerOfChannel(store, id) });
      const note = { target: { kind: 'channel', id }, fields: ['name'], told: { name } } as const;
      const row = await withStore(run, renamed, { note });
      await run.out.thing({ id, name: row.name });
    },
  }),
  command({
    name: 'channel page',
    audit: 'channels',
    sentence: "Show the settings of a channel's page, or change those that --set names.",
    more: `There are ${Object.keys(pageFields(new Zone('UTC')).shape).join(', ')}; an empty value puts one back to what it was at first.`,
    words: { id: channelId },
    options: { set: several(pair, 'What to change.') },
    examples: ['channel page 7', 'channel page 7 --set theme=tech --set "footer=© 2026 Example"'],
    run: async ({ id, set }, run) => {
      const fields = pageFields(run.config.zone);
      const shown = await withStore(
        run,
        async (store) => {
          const owner = await ownerOfChannel(store, id);
          if (set.length === 0) return await findChannel(store, id, owner);
          const page = fields.change(readSettings(set, run));
          return await store.perform(changePage, { id, owner, page });
        },
        {
          isRead: set.length === 0,
          note: { target: { kind: 'channel', id }, fields: set.map(([key]) => key) },
        },
      );
      await run.out.thing(fields.whole.show(shown.page));
    },
  }),
  channelAccessCommand,
  command({
    name: 'channel rotate-key',
    audit: 'channels',
    sentence: 'Give a channel a new publish key; a push with the old one is cut within 5 seconds.',
    words: { id: channelId },
    examples: ['channel rotate-key 7'],
    run: async ({ id }, run) => {
      const { stream_key } = await withStore(run, async (store) =>
        store.perform(rotateKey, { id, owner: await ownerOfChannel(store, id) }),
      );
      const rtmp_publish_addr = `${rtmpAddress(run.config)}/live/${stream_key}`;
      await run.out.thing({ id, rtmp_publish_addr });
    },
  }),
  command({
    name: 'channel delete',
    audit: 'channels',
    sentence:
      'Delete a channel with its videos and records; it can be restored for DELETED_CHANNEL_DAYS.',
    words: { id: channelId },
    examples: ['channel delete 7'],
    run: async ({ id }, run) => {
      await withStore(run, async (store) => {
        const owner = await ownerOfChannel(store, id);
        await store.perform(deleteChannel, { id, owner, now: Date.now() });
      });
      await run.out.thing({ id, result: 'success' });
    },
  }),
  command({
    name: 'channel restore',
    audit: 'channels',
    sentence: 'Bring a deleted channel back with all that was its own.',
    words: { id: channelId },
    examples: ['channel restore 7'],
    run: async ({ id }, run) => {
      const { name } = await withStore(run, async (store) => {
        const owner = await ownerOfChannel(store, id, { mayBeDeleted: true });
        const order = { id, owner, keptMs: keptMsOf(run.config), now: Date.now() };
        return await store.perform(restoreChannel, order);
      });
      await run.out.thing({ id, name });
    },
  }),
  command({
    name: 'channel deleted',
    audit: 'nothing',
    sentence: 'Deleted channels that can be restored, the last deleted first.',
    options: { account: usually(whole, '1', 'Of which account.') },
    run: async ({ account: account_id }, run) => {
      const { zone } = run.config;
      const keptMs = keptMsOf(run.config);
      const asked = { owner: { account_id, manager_id: 0 }, keptMs, now: Date.now() };
      await withStore(run, (store) =>
        printAll(run.out, {
          read: (page) => store.perform(listDeleted, { ...asked, ...page }),
          shown: (row) => deletedView(row, { zone, keptMs }),
          columns: ['id', 'name', 'deleted_at', 'goes_at', 'videos'],
        }),
      );
    },
  }),
];

/** By the same fields, with the same checks and words, as the page update of the interface. */
function readSettings(set: readonly (readonly [string, string])[], { config }: Run) {
  const { shape } = pageFields(config.zone);
  for (const [key] of set) {
    if (Object.hasOwn(shape, key)) continue;
    const known = Object.keys(shape);
    const near = didYouMean(key, known) || `; there are ${known.join(', ')}`;
    throw new UsageError(`a channel's page has no setting "${key}"${near}`);
  }
  return readPart(shape, Object.fromEntries(set));
}

function viewsOf({ config }: Pick<Run, 'config'>) {
  const { zone } = config;
  return channelViews({ zone, page: pageFields(zone), rtmpUrl: () => rtmpAddress(config) });
}

/** Its plan decides which addresses are shown, as it does for its tokens. */
async function callerOf(store: Store, account_id: number, { config }: Run) {
  const account = await countedAccount(store, account_id);
  if (!account) throw new ApiError('noUser', { message: `No account ${account_id}` });
  const { plan, auto_save_live_video } = account;
  const isSaved = auto_save_live_video === 1;
  const caller = { account_id, manager_id: 0, plan, auto_save_live_video: isSaved };
  return { caller, baseUrl: siteAddress(config) };
}

async function ownerOfChannel(store: Store, id: number, how: { mayBeDeleted?: boolean } = {}) {
  return { account_id: await accountOfChannel(store, id, how), manager_id: 0 };
}
