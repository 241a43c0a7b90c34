// `footlight channel access`: who may watch a channel, shown and set.
import { readPart } from '../../base/api/shape.ts';
import { admissionKinds } from '../../library/admission/admission.ts';
import { channelKindField, ruleFields } from '../../library/admission/admission-fields.ts';
import { setAdmission } from '../../library/admission/admission-store.ts';
import { accessView, findThing } from '../../library/admission/asked-thing.ts';
import { accountOfChannel } from '../../library/channels/channel-store.ts';
import { plainPassword } from '../../library/people/password.ts';
import { signInLimits } from '../../library/people/sign-in-limits.ts';
import { type Command, command } from '../parts/command.ts';
import { withStore } from '../parts/command-database.ts';
import { UsageError } from '../parts/exit-codes.ts';
import { option, word } from '../parts/option.ts';
import { file, oneOf, whole } from '../parts/value-kinds.ts';

/** All that goes with a kind, lists of thousands too. */
const bytesMax = 1_048_576;

export const channelAccessCommand: Command = command({
  name: 'channel access',
  audit: 'channels',
  sentence:
    'Show who may watch a channel, or say it; a service that runs goes by it within seconds.',
  more: 'FILE is JSON, as PUT /manage/v1/channels/N/access takes it: {"password":"…"}, {"list":["u-42"]}, {"form":[…]}. So no password stands in the list of processes.',
  words: { id: word(whole, 'the channel id', 'Which channel; channel list says which there are.') },
  options: {
    kind: option(oneOf(admissionKinds), 'Who may watch from now on.'),
    with: option(file, 'What goes with the kind; - is standard input.'),
  },
  examples: ['channel access 7', 'channel access 7 --kind password --with password.json'],
  run: async ({ id, kind, with: path }, run) => {
    if (path !== undefined && kind === undefined)
      throw new UsageError('--kind must be given with --with');
    const thing = { kind: 'channel', id } as const;
    const order =
      kind && readPart(shape, { ...(await readWith(path)), kind }, { required: ['kind'] });
    const shown = await withStore(
      run,
      async (store) => {
        const owner = { account_id: await accountOfChannel(store, id), manager_id: 0 };
        if (order) {
          const { kind, password, ...said } = order;
          const { place } = await findThing(store, owner, thing);
          const password_hash = password && (await hashOf(password));
          const change = { ...thing, ...said, rule: { kind }, password_hash, owner, place };
          await store.perform(setAdmission, { ...change, now: Date.now() });
        }
        return await accessView(store, owner, { ...thing, now: Date.now() });
      },
      {
        isRead: order === undefined,
        note: {
          target: thing,
          fields: Object.keys(order ?? {}),
          ...(kind && { told: { kind } }),
        },
      },
    );
    await run.out.thing({ id, ...shown });
  },
});

const shape = { kind: channelKindField, ...ruleFields };

async function readWith(path: string | undefined): Promise<Record<string, unknown>> {
  if (path === undefined) return {};
  const source = path === '-' ? Bun.stdin : Bun.file(path);
  const text = await source.text().catch((error: Error) => {
    throw new UsageError(`--with cannot be read: ${error.message}`);
  });
  if (text.length > bytesMax) throw new UsageError(`--with must be at most ${bytesMax} bytes`);
  const read = parsed(text);
  if (typeof read !== 'object' || read === null || Array.isArray(read))
    throw new UsageError('--with must be a JSON object');
  return { ...read };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Its text may be a password.
    return undefined;
  }
}

async function hashOf(password: string): Promise<string> {
  return await Bun.password.hash(plainPassword(password), signInLimits.hash);
}
