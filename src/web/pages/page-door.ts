// At the door of a page: whoever may watch goes in, whoever types what is wanted is sent in, others are told what is wanted.
import { readWatchLink } from '../../audience/viewers/watch-link.ts';
import type { PlainCall } from '../../base/api/plain-answer.ts';
import type { Admission } from '../../library/admission/admission.ts';
import type { Admissions } from '../../library/admission/admissions.ts';
import type { Doorkeeper } from '../../library/admission/doorkeeper.ts';
import type { PageValues } from '../../library/channels/page.ts';
import type { PageAssets } from './assets.ts';
import type { FilledForm } from './door-form.ts';
import { type DoorState, doorPage } from './door-page.ts';
import { hasComeIn, type Let, letIn, openToEverybody, passCookie } from './page-admission.ts';
import type { Language } from './page-data.ts';
import { browserViewer } from './page-viewer.ts';

interface AtDoor {
  call: PlainCall;
  /** What was sent with the form of the door. */
  typed: Record<string, unknown> | undefined;
  frame: { language: Language; nonce: string; assets: PageAssets; baseUrl: string };
  admission: Admission;
  admissions: Admissions;
  doorkeeper: Pick<Doorkeeper, 'answer' | 'isListed'>;
  link: { secret: string; channel_id: number } | undefined;
  /** The service's own, for cookies. */
  secret: string;
  /** Of the page. */
  path: string;
  name: string;
  cover: string;
  settings: PageValues;
  isEmbed: boolean;
  now: number;
}

interface Kept {
  isIn: false;
  page: DoorAnswer | { location: string; cookies: string[] };
}

interface DoorAnswer {
  text: string;
  status: number;
  headers: Record<string, string>;
  media: string[];
  hasForm: true;
}

export async function atDoor(asked: AtDoor): Promise<Let | Kept> {
  const { admission, typed } = asked;
  if (admission.rule.kind === 'open' && !typed) return openToEverybody;
  if (typed) return { isIn: false, page: await answered(asked, admission, typed) };
  const entered = await letIn(asked);
  if (entered.isIn) return entered;
  // Where the address is shared its name and cover are shown: that is no mistake of whoever asks.
  return { isIn: false, page: doorOf(asked, admission, { state: entered.why, status: 200 }) };
}

async function answered(
  asked: AtDoor,
  admission: Admission,
  typed: Record<string, unknown>,
): Promise<Kept['page']> {
  const { call, doorkeeper, admissions, isEmbed, path } = asked;
  const { address } = call;
  const back = withoutPass(path, call.query);
  if (admission.rule.kind === 'open') return { location: back, cookies: [] };
  // Another site has its visitors fill it in: they see that, and send it themselves or not.
  if (admission.rule.kind === 'form' && isOfAnotherSite(call)) {
    const filled = { typed, problems: new Map() };
    return doorOf(asked, admission, { state: 'none', status: 403, filled });
  }
  const { viewer_id, cookies } = typist(asked, admission);
  const isKnown = hasComeIn(asked);
  const answer = await doorkeeper.answer(admission, typed, { address, viewer_id, isKnown });
  const forbidden = { status: 403 };
  if (answer === 'wrong' || answer === 'full')
    return doorOf(asked, admission, { state: answer, ...forbidden });
  if (answer === 'ended') return doorOf(asked, admission, { state: 'shut', ...forbidden });
  if ('problems' in answer) {
    const { problems } = answer;
    return doorOf(asked, admission, { state: 'marked', status: 400, filled: { typed, problems } });
  }
  if ('waitMs' in answer) {
    const headers = { 'retry-after': String(Math.ceil(answer.waitMs / 1_000)) };
    const filled = { typed, problems: new Map() };
    return doorOf(asked, admission, { state: answer, status: 429, headers, filled });
  }
  const text = admissions.sign(answer.pass);
  // A frame of another site may have no cookies: its address carries the pass.
  const location = isEmbed ? `${back}${back.includes('?') ? '&' : '?'}pass=${text}` : back;
  return {
    location,
    cookies: [...cookies, passCookie(text, answer.pass, { ...asked, admission })],
  };
}

/** As its browser says. Over plain HTTP none tells which site it is, and of this host it may be another port: each says whose page sends. */
function isOfAnotherSite({ header, baseUrl }: PlainCall): boolean {
  const site = header('sec-fetch-site');
  const origin = header('origin');
  if (site === 'cross-site') return true;
  if (site === 'same-origin' || origin === null) return false;
  const host = URL.parse(origin)?.host;
  return host !== header('host')?.toLowerCase() && host !== URL.parse(baseUrl)?.host;
}

/** Who registers is kept as who they will be once they are in: the user of a link, or this browser's viewer. */
function typist(
  asked: AtDoor,
  { account_id, rule }: Admission,
): { viewer_id: string; cookies: string[] } {
  const { call, link, now } = asked;
  if (rule.kind !== 'form') return { viewer_id: '', cookies: [] };
  const linked = link && readWatchLink(link.secret, call.query, link.channel_id, now);
  if (typeof linked === 'object') return { viewer_id: linked.viewer_id, cookies: [] };
  const { viewer_id, cookie } = browserViewer(asked, account_id);
  return { viewer_id, cookies: cookie === undefined ? [] : [cookie] };
}

function doorOf(
  asked: AtDoor,
  { rule }: Admission,
  given: {
    state: DoorState;
    status: number;
    headers?: Record<string, string>;
    filled?: FilledForm;
  },
): DoorAnswer {
  const { call, path, frame } = asked;
  const { state, status, headers = {}, filled } = given;
  const text = doorPage({
    ...asked,
    ...frame,
    kind: rule.kind,
    form: rule.form ?? [],
    filled,
    state,
    cover: rule.show_cover ? asked.cover : '',
    action: withoutPass(path, call.query),
    url: frame.baseUrl + path,
  });
  return { text, status, headers, media: [], hasForm: true };
}

/** The page's address as it was asked for: a watch link goes on naming its user. */
function withoutPass(path: string, query: URLSearchParams): string {
  const rest = new URLSearchParams(query);
  rest.delete('pass');
  return rest.size === 0 ? path : `${path}?${rest}`;
}
