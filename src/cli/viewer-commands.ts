// `footlight viewer-link` and `footlight account secret`: an account's own users on the watch page.
import { rotateViewerSecret, viewerSecretOf } from '../audience/viewers/viewer-secret-store.ts';
import {
  isLine,
  isUid,
  linkCharactersMax,
  watchLinkQuery,
} from '../audience/viewers/watch-link.ts';
import { createFirstAccount } from '../library/access/account-store.ts';
import { accountOfChannel } from '../library/channels/channel-store.ts';
import { siteAddress } from './addresses.ts';
import {
  type Command,
  lifetimeMs,
  readOptions,
  required,
  UsageError,
  wholeNumber,
  withStore,
} from './command.ts';

const usualLifetime = '1d';

export const viewerCommands: Command[] = [
  {
    name: 'viewer-link',
    audit: 'nothing',
    usage:
      'viewer-link --channel N --uid U [--nick N] [--phone P] [--expires-in 1d] [--base-url URL]',
    sentence: "Print the address of a channel's page that names its viewer; it works for a day.",
    run: async (words, config) => {
      const names = ['channel', 'uid', 'nick', 'phone', 'expires-in', 'base-url'] as const;
      const { options } = readOptions(words, names);
      const lifetime = lifetimeMs(options['expires-in'] ?? usualLifetime, '--expires-in');
      const link = {
        channel_id: wholeNumber(required(options.channel, '--channel'), '--channel'),
        uid: required(options.uid, '--uid'),
        nick: options.nick?.trim() ?? '',
        phone: options.phone?.trim() ?? '',
        expires: Math.floor((Date.now() + lifetime) / 1_000),
      };
      checkTexts(link);
      const base = readBase(options['base-url'] ?? siteAddress(config));
      const secret = await withStore(config, async (store) =>
        viewerSecretOf(store, await accountOfChannel(store, link.channel_id)),
      );
      console.log(`${base}/watch/${link.channel_id}?${watchLinkQuery(secret, link)}`);
      return 0;
    },
  },
  {
    name: 'account secret',
    audit: 'viewers',
    usage: 'account secret ID [--rotate]',
    sentence:
      'Print the secret that the account signs watch links with; --rotate makes a new one first, which ends all links.',
    run: async (words, config) => {
      const { options, rest } = readOptions(words, [], {
        flags: ['rotate'],
        rest: ['the account id'],
      });
      const id = wholeNumber(rest[0] ?? '', 'the account id');
      console.log(
        await withStore(config, async (store) => {
          await store.perform(createFirstAccount, { now: Date.now() });
          return options.rotate
            ? await store.perform(rotateViewerSecret, { account_id: id })
            : await viewerSecretOf(store, id);
        }),
      );
      return 0;
    },
  },
];

/** A link that the service would refuse is not printed in the first place. */
function checkTexts({ uid, nick, phone }: { uid: string; nick: string; phone: string }): void {
  const { uid: uidMax, nick: nickMax, phone: phoneMax } = linkCharactersMax;
  if (!isUid(uid)) throw new UsageError(tooLong('--uid', uidMax));
  if (!isLine(nick, nickMax)) throw new UsageError(tooLong('--nick', nickMax));
  if (!isLine(phone, phoneMax)) throw new UsageError(tooLong('--phone', phoneMax));
}

function tooLong(option: string, charactersMax: number): string {
  return `${option} must be one line of at most ${charactersMax} characters`;
}

function readBase(text: string): string {
  if (!/^https?:$/.test(URL.parse(text)?.protocol ?? ''))
    throw new UsageError(`--base-url must be an address that starts with http:// (got "${text}")`);
  return text.replace(/\/+$/, '');
}
