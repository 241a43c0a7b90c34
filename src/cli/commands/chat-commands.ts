// `footlight chat list|say|pin|unpin|remove|mute|ban|lift|silences|open|close|slow`: a channel's chat, beside the service if it runs.
import { chatLimits } from '../../audience/chat/chat-limits.ts';
import { type SilenceKind, silenceKinds } from '../../audience/chat/chat-message.ts';
import {
  removeMessages,
  setChatOpen,
  setChatSlow,
  silence,
  silencesOf,
  unsilence,
} from '../../audience/chat/chat-store.ts';
import { hostLine } from '../../audience/chat/host-line.ts';
import { pinMessage, sayAsHost, unpinMessage } from '../../audience/chat/host-store.ts';
import { shownMessage } from '../../audience/chat/moderation.ts';
import { messagesBefore, removeMessagesOf } from '../../audience/chat/moderation-store.ts';
import type { Store } from '../../base/db/sql.ts';
import { accountOfChannel, findChannel } from '../../library/channels/channel-store.ts';
import { type Command, command, type Run } from '../parts/command.ts';
import { withStore } from '../parts/command-database.ts';
import { UsageError } from '../parts/exit-codes.ts';
import { type Kind, needed, option, usually, word } from '../parts/option.ts';
import { exact, id, lifetime, something, whole, wholeWithin } from '../parts/value-kinds.ts';

const listedMax = 1_000;

const channel = needed(whole, 'In which channel.');
const viewer = needed(something, 'Which viewer, by the id that chat list shows.');

const idList: Kind<number[]> = {
  value: '7,8',
  read: (text, named) => text.split(',').map((one) => whole.read(one.trim(), named)),
};

export const chatCommands: readonly Command[] = [
  command({
    name: 'chat list',
    audit: 'nothing',
    sentence: 'Messages of a channel, the newest first.',
    options: {
      channel,
      before: option(whole, 'Only those before this message id.'),
      viewer: option(exact, 'Only those of this viewer.'),
      count: usually(wholeWithin(1, listedMax), '50', 'How many at most.'),
    },
    examples: ['chat list --channel 7 --count 10'],
    run: async ({ channel, before, viewer: viewer_id, count: limit }, run) => {
      const rows = await onChannel(run, channel, (store, of) =>
        store.perform(messagesBefore, { ...of, before, viewer_id, limit }),
      );
      const shown = rows.map((row) => shownMessage(row, run.config.zone));
      await run.out.all(shown, ['id', 'sent_at', 'viewer_id', 'nick', 'text']);
    },
  }),
  command({
    name: 'chat say',
    audit: 'chat',
    sentence:
      "Say something as the host, under the channel's name or another; pages show it within two seconds.",
    words: { text: word(exact, 'the text', 'What to say.') },
    options: {
      channel,
      nick: option(exact, "Under which name; without it the channel's."),
      'reply-to': option(whole, 'Which message it answers.'),
    },
    examples: ['chat say --channel 7 "We begin in five minutes"'],
    run: async ({ text, channel, nick, 'reply-to': reply_to }, run) => {
      const message = await onChannel(run, channel, async (store, of) => {
        const owner = { account_id: of.account_id, manager_id: 0 };
        const line = hostLine({ text, nick }, await findChannel(store, of.channel_id, owner));
        return await store.perform(sayAsHost, { ...of, ...line, reply_to, at: Date.now() });
      });
      await run.out.thing(shownMessage(message, run.config.zone));
    },
  }),
  command({
    name: 'chat pin',
    audit: 'chat',
    sentence: 'Pin a message above the chat, in the place of any other.',
    words: { id: word(id, 'the message id', 'Which message.') },
    options: { channel },
    examples: ['chat pin --channel 7 31'],
    run: async ({ id, channel }, run) => {
      const message = await onChannel(run, channel, (store, of) =>
        store.perform(pinMessage, { ...of, id }),
      );
      await run.out.thing({ pinned: shownMessage(message, run.config.zone) });
    },
  }),
  command({
    name: 'chat unpin',
    audit: 'chat',
    sentence: 'Pin nothing above the chat.',
    options: { channel },
    examples: ['chat unpin --channel 7'],
    run: async ({ channel }, run) => {
      await onChannel(run, channel, (store, of) => store.perform(unpinMessage, of));
      await run.out.thing({ pinned: null });
    },
  }),
  command({
    name: 'chat remove',
    audit: 'chat',
    sentence: 'Remove messages, or all of one viewer; pages follow within two seconds.',
    options: {
      channel,
      ids: option(idList, 'Which messages; this or --viewer must be given.'),
      viewer: option(exact, 'All of this viewer.'),
    },
    examples: ['chat remove --channel 7 --ids 31,32'],
    run: async ({ channel, ids, viewer: viewer_id }, run) => {
      if ((ids === undefined) === (viewer_id === undefined))
        throw new UsageError('either --ids or --viewer must be given');
      const removed = await onChannel(run, channel, (store, of) =>
        viewer_id === undefined
          ? store.perform(removeMessages, { ...of, ids: ids ?? [] })
          : store.perform(removeMessagesOf, { ...of, viewer_id }),
      );
      await run.out.thing({ removed });
    },
  }),
  ...silenceKinds.map(silenceCommand),
  command({
    name: 'chat lift',
    audit: 'chat',
    sentence: 'Lift the mute and the ban of a viewer.',
    options: { channel, viewer },
    examples: ['chat lift --channel 7 --viewer u-42'],
    run: async ({ channel, viewer: viewer_id }, run) => {
      const lifted = await onChannel(run, channel, async (store, of) => {
        const kinds: SilenceKind[] = [];
        for (const kind of silenceKinds)
          if (await store.perform(unsilence, { ...of, viewer_id, kind })) kinds.push(kind);
        return kinds;
      });
      await run.out.thing({ viewer_id, lifted });
    },
  }),
  command({
    name: 'chat silences',
    audit: 'nothing',
    sentence: 'Who is muted or banned in a channel.',
    options: { channel },
    examples: ['chat silences --channel 7'],
    run: async ({ channel }, run) => {
      const rows = await onChannel(run, channel, (store, of) => silencesOf(store, of.channel_id));
      const time = (at: number | null) => (at === null ? '' : run.config.zone.dateTime(at));
      const shown = rows
        .filter(({ until }) => until === null || until > Date.now())
        .map((row) => ({ ...row, until: time(row.until), created_at: time(row.created_at) }));
      await run.out.all(shown, ['viewer_id', 'kind', 'until', 'created_at']);
    },
  }),
  openCommand('open', 'Open the chat of a channel.'),
  openCommand('close', 'Close the chat of a channel; what was written stays.'),
  command({
    name: 'chat slow',
    audit: 'chat',
    sentence: 'Let each viewer write one line in so many seconds; 0 for as many as they like.',
    words: {
      seconds: word(
        wholeWithin(0, chatLimits.slowSecondsMax),
        'the seconds',
        'Seconds between two lines of one viewer.',
      ),
    },
    options: { channel },
    examples: ['chat slow --channel 7 30'],
    run: async ({ seconds: slow_seconds, channel }, run) => {
      await onChannel(run, channel, (store, of) =>
        store.perform(setChatSlow, { ...of, slow_seconds }),
      );
      await run.out.thing({ slow_seconds });
    },
  }),
];

function silenceCommand(kind: SilenceKind): Command {
  return command({
    name: `chat ${kind}`,
    audit: 'chat',
    sentence:
      kind === 'mute'
        ? 'Mute a viewer, who then may not write; without --for, for ever.'
        : 'Ban a viewer, who is sent away within two seconds; without --for, for ever.',
    options: { channel, viewer, for: option(lifetime, 'How long, such as 30m or 1d.') },
    examples: [`chat ${kind} --channel 7 --viewer u-42 --for 30m`],
    run: async ({ channel, viewer: viewer_id, for: lasts }, run) => {
      const now = Date.now();
      const until = lasts === undefined ? null : now + lasts;
      await onChannel(run, channel, (store, of) =>
        store.perform(silence, { ...of, viewer_id, kind, until, now }),
      );
      const shown = until === null ? '' : run.config.zone.dateTime(until);
      await run.out.thing({ viewer_id, kind, until: shown });
    },
  });
}

function openCommand(verb: 'open' | 'close', sentence: string): Command {
  return command({
    name: `chat ${verb}`,
    audit: 'chat',
    sentence,
    options: { channel },
    examples: [`chat ${verb} --channel 7`],
    run: async ({ channel }, run) => {
      const open = verb === 'open';
      await onChannel(run, channel, (store, of) => store.perform(setChatOpen, { ...of, open }));
      await run.out.thing({ open });
    },
  });
}

/** Works on a channel that there is. */
async function onChannel<T>(
  run: Run,
  channel_id: number,
  work: (store: Store, of: { account_id: number; channel_id: number }) => Promise<T>,
): Promise<T> {
  return await withStore(run, async (store) => {
    const account_id = await accountOfChannel(store, channel_id);
    return await work(store, { account_id, channel_id });
  });
}
