// At the door of a page: whoever may watch goes in, whoever types what is wanted is sent in, others are told what is wanted.
import type { PlainCall } from '../../base/api/plain-answer.ts';
import type { Admission } from '../../library/admission/admission.ts';
import type { Admissions } from '../../library/admission/admissions.ts';
import type { Doorkeeper } from '../../library/admission/doorkeeper.ts';
import type { PageValues } from '../../library/channels/page.ts';
import type { PageAssets } from './assets.ts';
import { type DoorState, doorPage } from './door-page.ts';
import { type Let, letIn, openToEverybody, passCookie } from './page-admission.ts';
import type { Language } from './page-data.ts';

interface AtDoor {
  call: PlainCall;
  /** What was sent with the form of the door. */
  typed: Record<string, unknown> | undefined;
  frame: { language: Language; nonce: string; assets: PageAssets; baseUrl: string };
  admission: Admission;
  admissions: Admissions;
  doorkeeper: Pick<Doorkeeper, 'answer' | 'isListed'>;
  link: { secret: string; channel_id: number } | undefined;
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
  page: DoorAnswer | { location: string; cookie: string | undefined };
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
  const back = withoutPass(path, call.query);
  if (admission.rule.kind === 'open') return { location: back, cookie: undefined };
  const answer = await doorkeeper.answer(admission, typed, call.address);
  if (answer === 'wrong') return doorOf(asked, admission, { state: 'wrong', status: 403 });
  if ('waitMs' in answer) {
    const headers = { 'retry-after': String(Math.ceil(answer.waitMs / 1_000)) };
    return doorOf(asked, admission, { state: answer, status: 429, headers });
  }
  const text = admissions.sign(answer.pass);
  // A frame of another site may have no cookies: its address carries the pass.
  const location = isEmbed ? `${back}${back.includes('?') ? '&' : '?'}pass=${text}` : back;
  return { location, cookie: passCookie(text, answer.pass, { ...asked, admission }) };
}

function doorOf(
  asked: AtDoor,
  { rule }: Admission,
  given: { state: DoorState; status: number; headers?: Record<string, string> },
): DoorAnswer {
  const { call, path, frame } = asked;
  const { state, status, headers = {} } = given;
  const text = doorPage({
    ...asked,
    ...frame,
    kind: rule.kind,
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
