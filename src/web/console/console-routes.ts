// The console by its paths: one document for all of its views, what it frames, and its scripts.
import { ApiError } from '../../base/api/errors.ts';
import { takesGzip } from '../../base/api/media-answer.ts';
import type { PlainAnswer, PlainCall, PlainHandler } from '../../base/api/plain-answer.ts';
import type { Store } from '../../base/db/sql.ts';
import { ofAccount } from '../../base/db/whose.ts';
import type { Log } from '../../base/lib/log.ts';
import { randomText } from '../../base/lib/secret.ts';
import type { Zone } from '../../base/lib/time.ts';
import { channelAdmission } from '../../library/admission/admission.ts';
import { admissionLimits } from '../../library/admission/admission-limits.ts';
import type { Admissions } from '../../library/admission/admissions.ts';
import { callersChannel } from '../../library/channels/channel-store.ts';
import { readPage } from '../../library/channels/page.ts';
import {
  findWatchedChannel,
  type WatchedChannel,
} from '../../library/channels/watched-channel-store.ts';
import type { ConsoleCallers } from '../../library/people/console-callers.ts';
import { passPath } from '../../stream/playback/admitted-media.ts';
import type { Assets } from '../pages/assets.ts';
import { builtOrBundled, type MakeBundle, startBundledFiles } from '../pages/bundled-files.ts';
import { pageHeaders } from '../pages/page-policy.ts';
import { languageOf } from '../pages/texts.ts';
import { watchData, watchShape } from '../pages/watch-data.ts';
import { watchPage } from '../pages/watch-page.ts';
import type { ConsoleFile } from './console-entries.ts';
import { readLook } from './console-look.ts';
import { consolePage } from './console-page.ts';
import { nobody } from './nobody.ts';
import { previewFrame } from './preview-frame.ts';

export interface ConsoleOptions {
  store: Pick<Store, 'for'>;
  callers: Pick<ConsoleCallers, 'secretsIn' | 'find'>;
  admissions: Pick<Admissions, 'pass' | 'sign'>;
  zone: Zone;
  now: () => number;
  log: Log;
  /** The pages' own, for what is framed. */
  assets: Assets;
  make?: MakeBundle<ConsoleFile>;
}

const bundleConsole: MakeBundle<ConsoleFile> = () =>
  builtOrBundled({
    built: new URL('../../../built/console.json', import.meta.url),
    program: new URL('./console-bundle-program.ts', import.meta.url),
  });

export function consoleRoutes(options: ConsoleOptions): Record<string, PlainHandler> {
  const { assets, make = bundleConsole, log } = options;
  const files = startBundledFiles({ path: '/console/assets', make, log });
  const shell = async (call: PlainCall) => {
    const nonce = newNonce();
    const { console: script = '', look: style = '' } = await files.addresses();
    const { scheme, language = languageOf(call.header('accept-language')) } = readLook(
      call.header('cookie'),
    );
    const policy = { ...policyOf(call, nonce), framedBy: 'nobody', hasFrames: true } as const;
    // It has no WebSocket of its own.
    const headers = { ...pageHeaders({ ...policy, host: '' }), ...ownGuards, ...shellGuards };
    return sent(call, headers, consolePage({ language, scheme, nonce, script, style }));
  };
  return {
    '/console': shell,
    '/console/*': shell,
    '/console/assets/:file': ({ params, header }) => files.answer(params['file'] ?? '', header),
    '/console/preview': async (call) => {
      const { preview: script = '' } = await files.addresses();
      const { style } = await assets.ofPages();
      const headers = pageHeaders({ ...policyOf(call, newNonce()), framedBy: 'us' });
      return sent(call, { ...headers, ...ownGuards }, previewFrame({ script, style }));
    },
    '/console/watch/:id': monitor(options),
  };
}

/** What is for the console alone is no image, script or frame of another site's. */
const ownGuards = { 'cross-origin-resource-policy': 'same-origin' };

/** A window that opened the console, or that it opened, cannot reach into it; other sites do not learn where one was. */
const shellGuards = {
  'cross-origin-opener-policy': 'same-origin',
  'referrer-policy': 'same-origin',
  'permissions-policy': [
    ...['camera', 'microphone', 'display-capture', 'geolocation', 'payment'],
    ...['usb', 'hid', 'serial', 'midi', 'xr-spatial-tracking'],
  ]
    .map((feature) => `${feature}=()`)
    .join(', '),
};

/**
 * The player as an embed has it, for whoever runs the show: nobody is counted by it. So it is for those who have
 * signed in and may see the channel; another would be a viewer of whom nobody knows.
 */
function monitor(options: ConsoleOptions): PlainHandler {
  const { store, zone, now, assets } = options;
  return async (call) => {
    const id = call.params['id'] ?? '';
    if (!/^[1-9]\d{0,14}$/.test(id)) throw new ApiError('noChannel');
    const caller = await signedIn(options, call);
    if (!caller) return { status: 303, headers: toSignIn, body: null };
    await callersChannel(store, Number(id), caller);
    const nonce = newNonce();
    const language =
      readLook(call.header('cookie')).language ?? languageOf(call.header('accept-language'));
    const channel = await findWatchedChannel(store.for(ofAccount(caller)), Number(id));
    const settings = readPage(channel.page);
    const { baseUrl } = call;
    const kind = 'embed';
    const data = watchData({
      kind,
      channel,
      settings,
      viewer: nobody,
      last: undefined,
      captions: [],
      mediaPath: monitorsPath(options, channel),
      language,
      baseUrl,
      now: now(),
    });
    const text = watchPage({
      kind,
      settings,
      data,
      shape: watchShape({ channel, last: undefined }),
      zone,
      baseUrl,
      nonce,
      assets: await assets.ofPages(),
      qrOf: () => undefined,
    });
    const headers = pageHeaders({ ...policyOf(call, nonce), framedBy: 'us' });
    return sent(call, { ...headers, ...ownGuards }, text);
  };
}

/** Whoever runs the show sees it, whoever else may watch. */
function monitorsPath({ admissions }: ConsoleOptions, channel: WatchedChannel): string {
  const admission = channelAdmission(channel);
  if (admission.rule.kind === 'open') return '';
  const { mediaSeconds: seconds } = admissionLimits;
  return passPath(admissions.sign(admissions.pass(admission, { holder: 'console', seconds })));
}

const toSignIn = { location: '/console', 'cache-control': 'no-store' };

/** Undefined where nobody has. */
async function signedIn({ callers }: ConsoleOptions, { header, address }: PlainCall) {
  const secrets = callers.secretsIn(header('cookie'));
  try {
    return await callers.find(secrets, { version: undefined, address: () => address });
  } catch (error) {
    if (error instanceof ApiError && error.kind === 'unauthorized') return undefined;
    throw error;
  }
}

/** Of the nonce: nobody guesses it. */
const nonceBits = 128;

function newNonce(): string {
  return randomText(nonceBits);
}

function policyOf(call: PlainCall, nonce: string) {
  return { nonce, host: call.header('host') ?? '', media: [] };
}

function sent(call: PlainCall, headers: Record<string, string>, text: string): PlainAnswer {
  const all = { ...headers, vary: 'accept-encoding, accept-language, cookie' };
  if (!takesGzip(call.header)) return { headers: all, body: text };
  const body = Bun.gzipSync(text, { level: 1 });
  return { headers: { ...all, 'content-encoding': 'gzip' }, body };
}
