// Media that not everybody may have: each address as it is where everybody may, and once more behind a pass.
import {
  admittedAnswer,
  type MediaAnswer,
  type MediaCall,
  type MediaHandler,
  textAnswer,
} from '../../base/api/media-answer.ts';
import type { Admissions, Known } from '../../library/admission/admissions.ts';
import type { Standing } from '../../library/admission/pass.ts';
import type { SignedNames } from '../../library/admission/signed-names.ts';
import { coverFile } from '../recording/recording-folder.ts';
import { isLivePiece, isLivePlaylist } from './live-files.ts';
import { SignedPlaylists } from './signed-playlists.ts';

type Table = Record<string, MediaHandler>;

/** Beside `/hls/PLAYID/live.m3u8` there is `/pass/PASS/hls/PLAYID/live.m3u8`, whose relative names keep the pass. */
const behindPass = '/pass/:pass';

export function passPath(pass: string): string {
  return behindPass.replace(':pass', pass);
}

/**
 * Every address of `media` is of a channel (`:playId`) or of a video (`:id`): one that is neither throws, so that none
 * is open by mistake.
 */
export function admittedMedia(
  media: Table,
  admissions: Pick<Admissions, 'ofPlay' | 'ofVideo' | 'standing' | 'namesOf'>,
): Table {
  const playlists = new SignedPlaylists();
  const table: Table = {};
  for (const [path, inner] of Object.entries(media)) {
    const look = lookOf(path, admissions);
    const alone = (call: MediaCall, known: Known) => {
      if (!known || known.rule.kind === 'open') return inner(call);
      const { file = '' } = call.params;
      if (file === coverFile && known.rule.show_cover) return inner(call);
      const name = admissions.namesOf(known).plain(file);
      // A playlist is never had by its name: who asks is looked at each time.
      if (name === undefined || !isLivePiece(name)) return notAdmitted('none');
      return inner(asking(call, name));
    };
    const withPass = (call: MediaCall, known: Known) => {
      if (!known || known.rule.kind === 'open') return inner(call);
      const standing = admissions.standing(known, call.params['pass']);
      if (standing !== 'good') return notAdmitted(standing);
      const names = admissions.namesOf(known);
      return admitted({ inner, call, playlists, names });
    };
    table[path] = gated(look, alone);
    table[`${behindPass}${path}`] = gated(look, withPass);
  }
  return table;
}

type Look = (call: MediaCall) => Known | Promise<Known>;

function lookOf(path: string, admissions: Pick<Admissions, 'ofPlay' | 'ofVideo'>): Look {
  if (path.startsWith('/hls/:playId/'))
    return (call) => admissions.ofPlay(call.params['playId'] ?? '', () => call.address);
  if (path.startsWith('/recordings/:id/'))
    return (call) => {
      const id = Number(call.params['id']);
      return Number.isSafeInteger(id) ? admissions.ofVideo(id, () => call.address) : undefined;
    };
  throw new Error(`nobody has said whose media ${path} is`);
}

/** What is known is known at once: most answers wait for nothing here. */
function gated(
  look: Look,
  answer: (call: MediaCall, known: Known) => Promise<MediaAnswer> | MediaAnswer,
): MediaHandler {
  return (call) => {
    const known = look(call);
    return known instanceof Promise
      ? known.then((found) => answer(call, found))
      : answer(call, known);
  };
}

async function admitted(given: {
  inner: MediaHandler;
  call: MediaCall;
  playlists: SignedPlaylists;
  names: SignedNames;
}): Promise<MediaAnswer> {
  const { inner, call, playlists, names } = given;
  const { playId, file = '' } = call.params;
  if (playId === undefined || !isLivePlaylist(file)) return admittedAnswer(await inner(call));
  const answer = await inner(plainly(call));
  const { status, body: text } = answer;
  if (status !== 200 || typeof text !== 'string') return admittedAnswer(answer);
  const folder = `/hls/${playId}/`;
  return admittedAnswer(playlists.answer({ answer, text, names, folder, call }));
}

/** The same call for another file. */
function asking(call: MediaCall, file: string): MediaCall {
  return {
    params: { ...call.params, file },
    query: call.query,
    header: call.header,
    get address() {
      return call.address;
    },
  };
}

/** The same call, for a text that is not compressed. */
function plainly(call: MediaCall): MediaCall {
  return {
    params: call.params,
    query: call.query,
    header: (name) => (name === 'accept-encoding' ? null : call.header(name)),
    get address() {
      return call.address;
    },
  };
}

const sentences: Record<Exclude<Standing, 'good'>, string> = {
  none: 'Not everybody may watch this: its address needs a pass',
  other: 'The pass is for something else',
  expired: 'The pass has expired',
  ended: 'The pass was taken back',
};

function notAdmitted(standing: Exclude<Standing, 'good'>): MediaAnswer {
  return textAnswer(403, sentences[standing]);
}
