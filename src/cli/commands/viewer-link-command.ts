// `footlight viewer-link`: a watch link for one of an account's own users.
import { viewerSecretOf } from '../../audience/viewers/viewer-secret-store.ts';
import {
  isLine,
  isUid,
  linkCharactersMax,
  watchLinkQuery,
} from '../../audience/viewers/watch-link.ts';
import { accountOfChannel } from '../../library/channels/channel-store.ts';
import { siteAddress } from '../parts/addresses.ts';
import { type Command, command } from '../parts/command.ts';
import { withStore } from '../parts/command-database.ts';
import { UsageError } from '../parts/exit-codes.ts';
import { type Kind, needed, option, usually } from '../parts/option.ts';
import { lifetime, plain, something, whole } from '../parts/value-kinds.ts';

const baseAddress: Kind<string> = {
  value: 'URL',
  read: (text, named) => {
    if (!/^https?:$/.test(URL.parse(text)?.protocol ?? ''))
      throw new UsageError(
        `${named} must be an address that starts with http:// or https:// (got "${text}")`,
      );
    return text.replace(/\/+$/, '');
  },
};

export const viewerLinkCommand: Command = command({
  name: 'viewer-link',
  audit: 'nothing',
  sentence: "Print the address of a channel's page that names its viewer.",
  options: {
    channel: needed(whole, 'Of which channel.'),
    uid: needed(something, 'Who the viewer is to you; watch records show it.'),
    nick: usually(plain, '', 'The name that the chat shows.'),
    phone: usually(plain, '', 'Their telephone number, for the watch records.'),
    'expires-in': usually(lifetime, '1d', 'How long it works, such as 90m, 12h or 1d.'),
    'base-url': option(baseAddress, 'Where the page is; without it as the settings say.'),
  },
  examples: ['viewer-link --channel 7 --uid u-42 --nick 李伟'],
  run: async ({ channel: channel_id, uid, nick, phone, ...given }, run) => {
    const expires = Math.floor((Date.now() + given['expires-in']) / 1_000);
    const link = { channel_id, uid, nick, phone, expires };
    checkTexts(link);
    const secret = await withStore(run, async (store) =>
      viewerSecretOf(store, await accountOfChannel(store, channel_id)),
    );
    const base = given['base-url'] ?? siteAddress(run.config);
    const address = `${base}/watch/${channel_id}?${watchLinkQuery(secret, link)}`;
    if (run.out.isJson) await run.out.line({ link: address });
    else await run.out.text(address);
  },
});

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
