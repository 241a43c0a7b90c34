// `footlight account create|list|set|secret`.
import { rotateViewerSecret, viewerSecretOf } from '../../audience/viewers/viewer-secret-store.ts';
import type { Plan } from '../../base/api/caller.ts';
import {
  createAccount,
  createFirstAccount,
  listAccounts,
  placeLanguages,
  setAccount,
} from '../../library/access/account-store.ts';
import { isTranscoderInstalled } from '../../stream/recording/worker/transcoder.ts';
import { type Command, command } from '../parts/command.ts';
import { withStore } from '../parts/command-database.ts';
import { flag, needed, option, usually, word } from '../parts/option.ts';
import { id, name, oneOf, trueOrFalse } from '../parts/value-kinds.ts';

const plans = ['traffic', 'standard'] as const satisfies Plan[];
const planSentence = 'Whether the play addresses are shown: traffic shows them, standard does not.';
const accountId = word(id, 'the account id', 'Which account; account list says which there are.');

export const accountCommands: readonly Command[] = [
  command({
    name: 'account create',
    audit: 'account',
    sentence: 'Make an account; prints one JSON line with its id.',
    options: {
      name: needed(name, 'What it is called.'),
      plan: usually(oneOf(plans), 'standard', planSentence),
    },
    examples: ['account create --name "Second house"'],
    run: async ({ name, plan }, run) => {
      const now = Date.now();
      const made = await withStore(run, async (store) => {
        // The first account stays number 1, also where a command comes before the first start.
        await store.perform(createFirstAccount, { now });
        return await store.perform(createAccount, { name, plan, now });
      });
      await run.out.line({ id: made, name, plan });
    },
  }),
  command({
    name: 'account list',
    audit: 'nothing',
    sentence: 'Every account.',
    run: async (_, run) => {
      const rows = await withStore(run, async (store) => await listAccounts(store));
      const shown = rows.map((row) => ({
        ...row,
        auto_save_live_video: row.auto_save_live_video === 1,
        live_ladder: row.live_ladder === 1,
        created_at: run.config.zone.dateTime(row.created_at),
      }));
      await run.out.all(shown, [
        'id',
        'name',
        'plan',
        'auto_save_live_video',
        'live_ladder',
        'place_language',
        'created_at',
      ]);
    },
  }),
  command({
    name: 'account set',
    audit: 'account',
    sentence: 'Change an account.',
    words: { id: accountId },
    options: {
      name: option(name, 'What it is called.'),
      plan: option(oneOf(plans), planSentence),
      'auto-save-live-video': option(trueOrFalse, 'Whether its pushes become videos.'),
      'live-ladder': option(
        trueOrFalse,
        'Whether its pushes are shown in smaller sizes, too, from the next push on.',
      ),
      'place-language': option(
        oneOf(placeLanguages),
        'In which language records say where a viewer is, from the next one on.',
      ),
    },
    examples: ['account set 2 --plan traffic', 'account set 1 --live-ladder true'],
    run: async (asked, run) => {
      const { id, name, plan } = asked;
      const live_ladder = asked['live-ladder'];
      const auto_save_live_video = asked['auto-save-live-video'];
      const place_language = asked['place-language'];
      const change = { id, name, plan, auto_save_live_video, live_ladder, place_language };
      await withStore(run, (store) => store.perform(setAccount, change));
      await run.out.thing(change);
      if (live_ladder && !isTranscoderInstalled())
        await run.out.warning({
          message:
            'The transcoder (node-av) is not installed here: without it there is the sound alone beside the source.',
        });
    },
  }),
  command({
    name: 'account secret',
    audit: 'viewers',
    sentence: 'Print the secret that the account signs watch links with.',
    words: { id: accountId },
    options: { rotate: flag('Make a new one first, which ends all links.') },
    examples: ['account secret 1'],
    run: async ({ id, rotate }, run) => {
      const secret = await withStore(run, async (store) => {
        await store.perform(createFirstAccount, { now: Date.now() });
        return rotate
          ? await store.perform(rotateViewerSecret, { account_id: id })
          : await viewerSecretOf(store, id);
      });
      if (run.out.isJson) await run.out.line({ id, secret });
      else await run.out.text(secret);
    },
  }),
];
