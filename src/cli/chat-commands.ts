// `footlight chat list|say|pin|unpin|remove|mute|ban|lift|open|close`: a channel's chat, beside the service if it runs.
import { type SilenceKind, silenceKinds } from '../audience/chat/chat-message.ts';
import {
  removeMessages,
  setChatOpen,
  silence,
  silencesOf,
  unsilence,
} from '../audience/chat/chat-store.ts';
import { hostLine } from '../audience/chat/host-line.ts';
import { pinMessage, sayAsHost, unpinMessage } from '../audience/chat/host-store.ts';
import { shownMessage } from '../audience/chat/moderation.ts';
import { messagesBefore, removeMessagesOf } from '../audience/chat/moderation-store.ts';
import type { Store } from '../base/db/sql.ts';
import { accountOfChannel, findChannel } from '../library/channels/channel-store.ts';
import {
  type Command,
  lifetimeMs,
  printLine,
  type RunConfig,
  readOptions,
  required,
  UsageError,
  wholeNumber,
  withStore,
} from './command.ts';

const listedMessages = 50;
const listedMax = 1_000;

export const chatCommands: Command[] = [
  {
    name: 'chat list',
    audit: 'nothing',
    usage: 'chat list --channel N [--before ID] [--viewer TEXT] [--count N]',
    sentence: 'Messages of a channel, the newest first, one JSON line each.',
    run: async (words, config) => {
      const { options } = readOptions(words, ['channel', 'before', 'viewer', 'count']);
      const { before, viewer: viewer_id } = options;
      const limit = wholeNumber(options.count ?? String(listedMessages), '--count');
      if (limit < 1 || limit > listedMax) throw new UsageError(`--count must be 1 to ${listedMax}`);
      const rows = await onChannel(config, options.channel, (store, of) =>
        store.perform(messagesBefore, {
          ...of,
          before: before === undefined ? undefined : wholeNumber(before, '--before'),
          viewer_id,
          limit,
        }),
      );
      for (const row of rows) printLine({ ...row, sent_at: config.zone.dateTime(row.sent_at) });
      return 0;
    },
  },
  {
    name: 'chat say',
    audit: 'chat',
    usage: 'chat say --channel N [--nick TEXT] TEXT',
    sentence:
      "Say something as the host, under the channel's name or another; pages show it within two seconds.",
    run: async (words, config) => {
      const { options, rest } = readOptions(words, ['channel', 'nick'], { rest: ['the text'] });
      const message = await onChannel(config, options.channel, async (store, of) => {
        const owner = { account_id: of.account_id, manager_id: 0 };
        const channel = await findChannel(store, of.channel_id, owner);
        const line = hostLine({ text: rest[0] ?? '', nick: options.nick }, channel);
        return await store.perform(sayAsHost, { ...of, ...line, at: Date.now() });
      });
      printLine(shownMessage(message, config.zone));
      return 0;
    },
  },
  {
    name: 'chat pin',
    audit: 'chat',
    usage: 'chat pin --channel N ID',
    sentence: 'Pin a message above the chat, in the place of any other.',
    run: async (words, config) => {
      const { options, rest } = readOptions(words, ['channel'], { rest: ['the message id'] });
      const id = wholeNumber(rest[0] ?? '', 'the message id');
      const message = await onChannel(config, options.channel, (store, of) =>
        store.perform(pinMessage, { ...of, id }),
      );
      printLine({ pinned: shownMessage(message, config.zone) });
      return 0;
    },
  },
  {
    name: 'chat unpin',
    audit: 'chat',
    usage: 'chat unpin --channel N',
    sentence: 'Pin nothing above the chat.',
    run: async (words, config) => {
      const { options } = readOptions(words, ['channel']);
      await onChannel(config, options.channel, (store, of) => store.perform(unpinMessage, of));
      printLine({ pinned: null });
      return 0;
    },
  },
  {
    name: 'chat remove',
    audit: 'chat',
    usage: 'chat remove --channel N (--ids 7,8 | --viewer TEXT)',
    sentence: 'Remove messages, or all of one viewer; pages follow within two seconds.',
    run: async (words, config) => {
      const { options } = readOptions(words, ['channel', 'ids', 'viewer']);
      const { ids, viewer: viewer_id } = options;
      if ((ids === undefined) === (viewer_id === undefined))
        throw new UsageError('either --ids or --viewer must be given');
      const removed = await onChannel(config, options.channel, (store, of) =>
        viewer_id === undefined
          ? store.perform(removeMessages, { ...of, ids: readIds(ids ?? '') })
          : store.perform(removeMessagesOf, { ...of, viewer_id }),
      );
      printLine({ removed });
      return 0;
    },
  },
  ...silenceKinds.map(silenceCommand),
  {
    name: 'chat lift',
    audit: 'chat',
    usage: 'chat lift --channel N --viewer TEXT',
    sentence: 'Lift the mute and the ban of a viewer.',
    run: async (words, config) => {
      const { options } = readOptions(words, ['channel', 'viewer']);
      const viewer_id = required(options.viewer, '--viewer');
      const lifted = await onChannel(config, options.channel, async (store, of) => {
        const kinds: SilenceKind[] = [];
        for (const kind of silenceKinds)
          if (await store.perform(unsilence, { ...of, viewer_id, kind })) kinds.push(kind);
        return kinds;
      });
      printLine({ viewer_id, lifted });
      return 0;
    },
  },
  {
    name: 'chat silences',
    audit: 'nothing',
    usage: 'chat silences --channel N',
    sentence: 'Who is muted or banned in a channel, one JSON line each.',
    run: async (words, config) => {
      const { options } = readOptions(words, ['channel']);
      const rows = await onChannel(config, options.channel, (store, of) =>
        silencesOf(store, of.channel_id),
      );
      const time = (at: number | null) => (at === null ? '' : config.zone.dateTime(at));
      for (const row of rows.filter(({ until }) => until === null || until > Date.now()))
        printLine({ ...row, until: time(row.until), created_at: time(row.created_at) });
      return 0;
    },
  },
  openCommand('open', 'Open the chat of a channel.'),
  openCommand('close', 'Close the chat of a channel; what was written stays.'),
];

function silenceCommand(kind: SilenceKind): Command {
  return {
    name: `chat ${kind}`,
    audit: 'chat',
    usage: `chat ${kind} --channel N --viewer TEXT [--for 30m]`,
    sentence:
      kind === 'mute'
        ? 'Mute a viewer, who then may not write; without --for, for ever.'
        : 'Ban a viewer, who is sent away within two seconds; without --for, for ever.',
    run: async (words, config) => {
      const { options } = readOptions(words, ['channel', 'viewer', 'for']);
      const viewer_id = required(options.viewer, '--viewer');
      const now = Date.now();
      const until = options.for === undefined ? null : now + lifetimeMs(options.for, '--for');
      await onChannel(config, options.channel, (store, of) =>
        store.perform(silence, { ...of, viewer_id, kind, until, now }),
      );
      printLine({ viewer_id, kind, until: until === null ? '' : config.zone.dateTime(until) });
      return 0;
    },
  };
}

function openCommand(word: 'open' | 'close', sentence: string): Command {
  return {
    name: `chat ${word}`,
    audit: 'chat',
    usage: `chat ${word} --channel N`,
    sentence,
    run: async (words, config) => {
      const { options } = readOptions(words, ['channel']);
      const open = word === 'open';
      await onChannel(config, options.channel, (store, of) =>
        store.perform(setChatOpen, { ...of, open }),
      );
      printLine({ open });
      return 0;
    },
  };
}

/** Works on a channel that there is. */
async function onChannel<T>(
  config: RunConfig,
  channel: string | undefined,
  work: (store: Store, of: { account_id: number; channel_id: number }) => Promise<T>,
): Promise<T> {
  const channel_id = wholeNumber(required(channel, '--channel'), '--channel');
  return await withStore(config, async (store) => {
    const account_id = await accountOfChannel(store, channel_id);
    return await work(store, { account_id, channel_id });
  });
}

function readIds(text: string): number[] {
  return text.split(',').map((id) => wholeNumber(id.trim(), '--ids'));
}
