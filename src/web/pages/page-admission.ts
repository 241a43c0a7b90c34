// Whether a page is for whoever asks for it: by the pass in its address or in a cookie, or by a watch link.
import { type LinkedViewer, readWatchLink } from '../../audience/viewers/watch-link.ts';
import type { PlainCall } from '../../base/api/plain-answer.ts';
import { keyOfListed } from '../../library/admission/access-code.ts';
import type { Admission } from '../../library/admission/admission.ts';
import { admissionLimits } from '../../library/admission/admission-limits.ts';
import type { Admissions } from '../../library/admission/admissions.ts';
import type { Doorkeeper } from '../../library/admission/doorkeeper.ts';
import { holderOfUid, type Pass, type Standing } from '../../library/admission/pass.ts';
import { passPath } from '../../stream/playback/admitted-media.ts';
import { cookieValues } from './page-cookies.ts';

export interface Let {
  isIn: true;
  /** What the page's connection and its media are let in by; empty where everybody may watch. */
  pass: string;
  /** What addresses of media begin with. */
  mediaPath: string;
  /** Stands for whom the pass was given to. */
  mark: string;
  cookie: string | undefined;
}

/** Why not: `link` is of a watch link that was right, and has ended. */
export interface Turned {
  isIn: false;
  why: Exclude<Standing, 'good'>;
}

interface Asked {
  call: Pick<PlainCall, 'header' | 'query' | 'baseUrl' | 'address'>;
  doorkeeper: Pick<Doorkeeper, 'isListed'>;
  admission: Admission;
  admissions: Admissions;
  isEmbed: boolean;
  /** Of a channel: by which its account names users. */
  link?: { secret: string; channel_id: number } | undefined;
  now: number;
}

export const openToEverybody: Let = {
  isIn: true,
  ...{ pass: '', mediaPath: '', mark: '' },
  cookie: undefined,
};

export async function letIn(asked: Asked): Promise<Let | Turned> {
  const { call, admission, admissions } = asked;
  if (admission.rule.kind === 'open') return openToEverybody;
  const shown = call.query.get('pass');
  const inAddress = shown === null ? undefined : admissions.read(shown);
  const kept = cookieValues(call.header('cookie'), cookieName(admission.setBy));
  const all = [inAddress, ...kept.map((text) => admissions.read(text)), await byLink(asked)];
  const passes = all.filter((pass) => pass !== undefined);
  const good = passes.find((pass) => admissions.standingOf(admission, pass) === 'good');
  if (!good) return { isIn: false, why: worst(passes, asked, shown !== null) };
  const pass = mediaPass(good, asked);
  const isNew = good === inAddress && shown !== null && !kept.includes(shown);
  const cookie = isNew && good.of === admission.setBy ? passCookie(shown, good, asked) : undefined;
  return { isIn: true, pass, mediaPath: passPath(pass), mark: good.mark, cookie };
}

/** What is most worth saying: of a pass that was good once, what became of it. */
function worst(
  passes: readonly Pass[],
  { admission, admissions, call }: Asked,
  hasPass: boolean,
): Turned['why'] {
  const standings = passes.map((pass) => admissions.standingOf(admission, pass));
  const said = (['ended', 'expired'] as const).find((one) => standings.includes(one));
  if (said) return said;
  const byLinks = admission.rule.kind === 'signed' || admission.rule.kind === 'list';
  const isSigned = hasPass || (byLinks && call.query.has('sign'));
  return isSigned ? 'other' : 'none';
}

/** A user whom a link of the account's names, where that is what lets people in. */
async function byLink(asked: Asked): Promise<Pass | undefined> {
  const { call, admission, admissions, link, now } = asked;
  const { kind } = admission.rule;
  if (!link || !call.query.has('sign') || (kind !== 'signed' && kind !== 'list')) return undefined;
  const linked = readWatchLink(link.secret, call.query, link.channel_id, now);
  if (linked === 'expired') return admissions.pass(admission, { holder: '', seconds: 0 });
  if (typeof linked !== 'object') return undefined;
  const { mediaSeconds: seconds } = admissionLimits;
  if (kind === 'signed')
    return admissions.pass(admission, { holder: holderOfUid(linked.viewer_id), seconds });
  const holder = await listedAs(linked, asked);
  return holder === undefined ? undefined : admissions.pass(admission, { holder, seconds });
}

/** By which of the two the list knows the user that a link names. */
async function listedAs(
  { viewer_id, phone }: LinkedViewer,
  { admission, doorkeeper, call }: Asked,
): Promise<string | undefined> {
  for (const entry of [viewer_id, phone])
    if (await doorkeeper.isListed(admission, entry, call.address)) return keyOfListed(entry);
  return undefined;
}

/** What stands in addresses of media ends with the page's own day, or before with what let it in. */
function mediaPass(good: Pass, { admissions, now }: Asked): string {
  const ends = Math.floor(now / 1_000) + admissionLimits.mediaSeconds;
  return admissions.sign({ ...good, expires: Math.min(good.expires, ends) });
}

/** Whether somebody came in here before, by whatever held then. */
export function hasComeIn({
  call,
  admission: { setBy },
  admissions,
}: Pick<Asked, 'call' | 'admission' | 'admissions'>): boolean {
  return cookieValues(call.header('cookie'), cookieName(setBy)).some(
    (text) => admissions.read(text)?.of === setBy,
  );
}

function cookieName(of: Admission['setBy']): string {
  return `footlight_pass_${of}`;
}

/** In a frame of another site only a cookie of that frame comes back, and only over HTTPS. */
export function passCookie(
  text: string,
  { expires }: Pick<Pass, 'expires'>,
  { call, admission, isEmbed, now }: Pick<Asked, 'call' | 'admission' | 'isEmbed' | 'now'>,
): string {
  const isSecure = call.baseUrl.startsWith('https:');
  const site = isEmbed && isSecure ? 'SameSite=None; Partitioned' : 'SameSite=Lax';
  const seconds = Math.max(0, expires - Math.floor(now / 1_000));
  return `${cookieName(admission.setBy)}=${text}; Path=/; Max-Age=${seconds}; HttpOnly; ${site}${isSecure ? '; Secure' : ''}`;
}
