// The pages by their paths, as the HTTP edge mounts them; errors are pages too.
import { rememberedDevices } from '../../audience/viewers/device.ts';
import { viewerSecretOf } from '../../audience/viewers/viewer-secret-store.ts';
import { watchLinkRefusals } from '../../audience/viewers/watch-link-refusals.ts';
import { ApiError, type ErrorName } from '../../base/api/errors.ts';
import { takesGzip } from '../../base/api/media-answer.ts';
import type { PlainAnswer, PlainCall, PlainHandler } from '../../base/api/plain-answer.ts';
import type { Store } from '../../base/db/sql.ts';
import { ofNetwork } from '../../base/db/whose.ts';
import type { Log } from '../../base/lib/log.ts';
import { randomText } from '../../base/lib/secret.ts';
import type { Zone } from '../../base/lib/time.ts';
import type { Peers } from '../../base/peers/peers.ts';
import {
  channelAdmission,
  channelThing,
  videoAdmission,
} from '../../library/admission/admission.ts';
import type { Admissions } from '../../library/admission/admissions.ts';
import type { Doorkeeper } from '../../library/admission/doorkeeper.ts';
import { registeredViewer } from '../../library/admission/registration-store.ts';
import { captionsOf } from '../../library/captions/captions-store.ts';
import { readPage } from '../../library/channels/page.ts';
import { emptyPage } from '../../library/channels/stored-page.ts';
import { findWatchedChannel } from '../../library/channels/watched-channel-store.ts';
import { findShownVideo, lastVideo } from '../../library/videos/shown-video-store.ts';
import { type Assets, type PageAssets, startAssets } from './assets.ts';
import { type ErrorHome, errorPage } from './error-page.ts';
import { homePage } from './home-page.ts';
import type { Language } from './page-data.ts';
import { atDoor } from './page-door.ts';
import { pageHeaders } from './page-policy.ts';
import { pageViewer } from './page-viewer.ts';
import { type NetworkHost, sharedBase } from './phone-address.ts';
import { publicChannels } from './public-channels.ts';
import { rememberedQrCodes } from './qr-codes.ts';
import type { QrBounds } from './qr-limits.ts';
import { languageOf } from './texts.ts';
import { exchangeTicket } from './ticket-exchange.ts';
import { mediaOf, videoPage } from './video-page.ts';
import { watchData, watchShape } from './watch-data.ts';
import { type WatchKind, watchPage } from './watch-page.ts';

export interface PageOptions {
  store: Pick<Store, 'for'>;
  zone: Zone;
  /** The service's own, for cookies and tickets. */
  secret: string;
  qr: QrBounds;
  networkHost: NetworkHost;
  /** Addresses elsewhere that recordings are read from. */
  recordingsAt?: readonly string[];
  /** Who may watch, and who is let in by what they type. */
  admissions: Admissions;
  doorkeeper: Pick<Doorkeeper, 'answer' | 'isListed'>;
  peers: Pick<Peers, 'isAllowed' | 'refusals'>;
  now: () => number;
  log: Log;
  assets?: Assets;
}

export function pageRoutes(options: PageOptions): Record<string, PlainHandler> {
  const given = { assets: startAssets(options), ...options };
  const { store, secret, now, assets } = given;
  const watch = watchPages(given);
  const video = videoPages(given);
  const framed = (make: MakePage) => shown(given, { isEmbed: true, make });
  const alone = (make: MakePage) => shown(given, { isEmbed: false, make });
  return {
    '/': alone(homePages(given)),
    '/watch/:id': alone(watch('watch')),
    '/m/:id': alone(watch('mobile')),
    '/embed/:id': framed(watch('embed')),
    '/embed/:id/ticket': (call) =>
      exchangeTicket(call, { sql: store.for(ofNetwork(call.address)), secret, now: now() }),
    '/videos/:id': alone(video(false)),
    '/embed/videos/:id': framed(video(true)),
    '/assets/:file': ({ params, header }) => assets.answer(params['file'] ?? '', header),
  };
}

/** What a browser is told where there is nothing at an address, and where it is led from there. */
export function absentPage(
  assets: Assets,
  home: ErrorHome = '/',
): NonNullable<PlainHandler['refuse']> {
  return framing({ assets, isEmbed: false, home }).refuse;
}

type PageParts = PageOptions & { assets: Assets };

/** What every page of one request shares. */
interface Frame {
  language: Language;
  nonce: string;
  assets: PageAssets;
  baseUrl: string;
}

interface MadePage {
  text: string;
  /** Other than 200. */
  status?: number;
  headers?: Record<string, string>;
  hasForm?: boolean;
  /** Where what it plays lies. */
  media: string[];
  cookies?: string[];
}

/** `typed`: what was sent with the page's form. */
type MakePage = (
  call: PlainCall,
  frame: Frame,
  typed?: Record<string, unknown>,
) => Promise<MadePage | Elsewhere>;

/** The browser is sent on. */
interface Elsewhere {
  location: string;
  cookies: string[];
}

function watchPages({
  store,
  zone,
  secret,
  qr,
  peers,
  admissions,
  doorkeeper,
  recordingsAt = [],
  now,
}: PageParts): (kind: WatchKind) => MakePage {
  const deviceOf = rememberedDevices();
  const links = peers.refusals.book('watch_link', watchLinkRefusals);
  const qrCodesFor = rememberedQrCodes({ bounds: qr, peers, now });
  return (kind) => async (call, frame, typed) => {
    const sql = store.for(ofNetwork(call.address));
    const channel = await findWatchedChannel(sql, idOf(call, 'noChannel'));
    const { language, baseUrl } = frame;
    const isEmbed = kind === 'embed';
    const settings = readPage(channel.page);
    const admission = channelAdmission(channel);
    const door = await atDoor({
      ...{ call, typed, frame, admissions, doorkeeper, isEmbed, settings, secret, now: now() },
      admission,
      link: { secret: channel.viewer_secret, channel_id: channel.id },
      path: `/${kind}/${channel.id}`.replace('mobile', 'm'),
      ...{ name: channel.name, cover: settings.cover_image },
    });
    if (!door.isIn) return door.page;
    const { pass, mediaPath, mark: id } = door;
    const registered =
      admission.rule.kind === 'form'
        ? await registeredViewer(sql, { channel_id: channel.id, id })
        : undefined;
    const asked = { call, channel, registered, language, isEmbed, pass, secret };
    const viewer = pageViewer({ ...asked, deviceOf, links, now: now() });
    const last = await lastVideo(sql, channel);
    const captions = last ? await captionsOf(sql, last.id) : [];
    const facts = {
      kind,
      channel,
      settings,
      viewer,
      last,
      captions,
      mediaPath,
      language,
      baseUrl,
      now: now(),
    };
    const qrOf = qrCodesFor(call.address);
    const shown = { data: watchData(facts), shape: watchShape(facts) };
    const text = watchPage({ kind, settings, ...shown, zone, qrOf, ...frame });
    const cookies = [viewer.cookie, door.cookie].filter((cookie) => cookie !== undefined);
    return { text, media: [...recordingsAt], cookies };
  };
}

function homePages({ store, zone, now }: PageParts): MakePage {
  const channels = publicChannels({ now });
  return async (call, frame) => {
    const listed = await channels.look(store.for(ofNetwork(call.address)));
    return { text: homePage({ listed, zone, ...frame }), media: [] };
  };
}

function videoPages(parts: PageParts): (isEmbed: boolean) => MakePage {
  const { store, zone, secret, admissions, doorkeeper, recordingsAt = [], now } = parts;
  return (isEmbed) => async (call, frame, typed) => {
    const sql = store.for(ofNetwork(call.address));
    const video = await findShownVideo(sql, idOf(call, 'noVideo'));
    const settings = readPage(video.page ?? emptyPage);
    const { id, name, channel_id, account_id } = video;
    const admission = videoAdmission(video);
    const isLinked = call.query.has('sign') && admission.setBy === channelThing(channel_id);
    const door = await atDoor({
      ...{ call, typed, frame, admissions, doorkeeper, isEmbed, settings, admission },
      ...{ secret, now: now() },
      link: isLinked ? { secret: await viewerSecretOf(sql, account_id), channel_id } : undefined,
      path: isEmbed ? `/embed/videos/${id}` : `/videos/${id}`,
      ...{ name, cover: video.cover_url || settings.cover_image },
    });
    if (!door.isIn) return door.page;
    const { mediaPath, cookie } = door;
    const captions = await captionsOf(sql, id);
    const text = videoPage({ video, captions, settings, isEmbed, zone, mediaPath, ...frame });
    const cookies = cookie === undefined ? [] : [cookie];
    return { text, media: [...mediaOf(video), ...recordingsAt], cookies };
  };
}

/** A path id that is no positive integer, written as we write it, names nothing. */
function idOf({ params }: PlainCall, absent: ErrorName): number {
  const id = params['id'] ?? '';
  if (!/^[1-9]\d{0,15}$/.test(id) || !Number.isSafeInteger(Number(id))) throw new ApiError(absent);
  return Number(id);
}

/** Of the nonce: nobody guesses it. */
const nonceBits = 128;

/** Makes a page; what goes wrong is answered by a page too. */
function shown(
  { assets, networkHost }: PageParts,
  { isEmbed, make }: { isEmbed: boolean; make: MakePage },
): PlainHandler {
  const { begin, refuse } = framing({ assets, isEmbed });
  const answer = async (call: PlainCall, typed?: Record<string, unknown>) => {
    const { frame, policy } = await begin(call);
    const made = await make(call, { ...frame, baseUrl: sharedBase(call, networkHost) }, typed);
    if ('location' in made) return sentOn(made);
    const { text, media, cookies, status = 200, hasForm = false } = made;
    const headers = { ...made.headers, ...pageHeaders({ ...policy, media, hasForm }) };
    return { ...sent(call, { status, headers, text }), cookies };
  };
  return Object.assign((call: PlainCall) => answer(call), { refuse, submit: answer });
}

function framing({
  assets,
  isEmbed,
  home = '/',
}: {
  assets: Assets;
  isEmbed: boolean;
  home?: ErrorHome;
}) {
  const begin = async (call: Pick<PlainCall, 'header'>) => {
    const nonce = randomText(nonceBits);
    const language = languageOf(call.header('accept-language'));
    const framedBy = isEmbed ? 'anybody' : 'nobody';
    const policy = { nonce, framedBy, host: call.header('host') ?? '', media: [] } as const;
    return { frame: { language, nonce, assets: await assets.ofPages() }, policy };
  };
  const refuse: NonNullable<PlainHandler['refuse']> = async (call, error) => {
    const { frame, policy } = await begin(call);
    const headers = { ...error.headers, ...pageHeaders(policy) };
    const text = errorPage({ kind: error.kind, home, ...frame });
    return sent(call, { status: error.status, headers, text });
  };
  return { begin, refuse };
}

function sentOn({ location, cookies }: Elsewhere): PlainAnswer {
  const headers = { location, 'cache-control': 'no-store' };
  return { status: 303, headers, cookies, body: null };
}

function sent(
  call: Pick<PlainCall, 'header'>,
  { text, ...answer }: Omit<PlainAnswer, 'body'> & { text: string },
): PlainAnswer {
  const headers = { ...answer.headers, vary: 'accept-encoding, accept-language, cookie' };
  if (!takesGzip(call.header)) return { ...answer, headers, body: text };
  const body = Bun.gzipSync(text, { level: 1 });
  return { ...answer, headers: { ...headers, 'content-encoding': 'gzip' }, body };
}
