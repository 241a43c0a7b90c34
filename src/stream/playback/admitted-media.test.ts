// Which media is whose: an address of which nobody has said it is not answered at all.
import { expect, test } from 'bun:test';
import { type MediaCall, playlistAnswer, textAnswer } from '../../base/api/media-answer.ts';
import { type Admission, openToAll } from '../../library/admission/admission.ts';
import { SignedNames } from '../../library/admission/signed-names.ts';
import { admittedMedia } from './admitted-media.ts';

const names = new SignedNames('secret');
const closed: Admission = {
  ...{ account_id: 1, channel_id: 1, thing: 'c1', setBy: 'c1' },
  rule: { ...openToAll, kind: 'signed', revision: 'r' },
};
const admissions = {
  ofPlay: () => closed,
  ofVideo: () => closed,
  namesOf: () => names,
  standing: (_: Admission, pass: string | undefined) =>
    (pass === 'good' ? 'good' : 'none') as 'good',
};

const text = `#EXTM3U
#EXT-X-MAP:URI="init-7.mp4"
#EXT-X-PART:DURATION=0.200,URI="7.0.m4s",INDEPENDENT=YES
#EXTINF:2.000,
7.m4s
480p-init-7.mp4
480p.m3u8
#EXT-X-PRELOAD-HINT:TYPE=PART,URI="8.0.m4s"
#EXT-X-RENDITION-REPORT:URI="live.m3u8"
show-1.0.0.a.m4s
`;
const inner = ({ params, header }: MediaCall) => {
  const { file = '' } = params;
  if (!file.endsWith('.m3u8')) return textAnswer(200, file);
  const gzip = header('accept-encoding') !== null;
  return playlistAnswer({ text, gzip: new Uint8Array([1]) }, { gzip, cache: 'newest' });
};

function call(params: Record<string, string>, encoding: string | null = null): MediaCall {
  const header = (name: string) => (name === 'accept-encoding' ? encoding : null);
  return { params, query: () => null, header, address: '192.0.2.1' };
}

test('an address that is neither a channel’s nor a video’s throws', () => {
  expect(() => admittedMedia({ '/clips/:id/:file': inner }, admissions)).toThrow('whose media');
});

test('of a playlist the names of parts are signed, and all else stays beside it', async () => {
  const path = '/hls/:playId/:file';
  const table = admittedMedia({ [path]: inner }, admissions);
  const asked = { playId: 'P', file: 'live.m3u8', pass: 'good' };
  const { body, headers } = (await table[`/pass/:pass${path}`]?.(call(asked))) ?? {};
  const signed = (name: string) => `/hls/P/${names.signed(name)}`;
  expect(body).toBe(
    text.replace(/(?:480p-)?(?:init-7\.mp4|[78]\.(?:0\.)?m4s)/g, (name) => signed(name)),
  );
  expect(headers?.['cache-control']).toBe('private, no-cache');
  // The names that it gives lead to the parts, and the plain ones to nothing.
  const part = (file: string) => table[path]?.(call({ playId: 'P', file }));
  expect((await part(names.signed('7.0.m4s')))?.status).toBe(200);
  expect((await part(names.signed('480p-init-7.mp4')))?.status).toBe(200);
  expect((await part('7.0.m4s'))?.status).toBe(403);
  expect((await part(names.signed('8.0.m4s').replace('8.0', '8.1')))?.status).toBe(403);
});

test('a playlist is not had by a signed name, nor is a file that grows', async () => {
  const table = admittedMedia({ '/hls/:playId/:file': inner }, admissions);
  for (const name of ['live.m3u8', 'show-1.0.0.a.m4s']) {
    const file = names.signed(name);
    expect((await table['/hls/:playId/:file']?.(call({ playId: 'P', file })))?.status).toBe(403);
  }
});

test('compressed or not it is the same, for those who take it', async () => {
  const table = admittedMedia({ '/hls/:playId/:file': inner }, admissions);
  const asked = { playId: 'P', file: 'live.m3u8', pass: 'good' };
  const answer = table['/pass/:pass/hls/:playId/:file'];
  const plain = await answer?.(call(asked));
  const gzip = await answer?.(call(asked, 'gzip'));
  expect(gzip?.headers['content-encoding']).toBe('gzip');
  expect(Bun.gunzipSync(gzip?.body as Uint8Array<ArrayBuffer>)).toEqual(
    new TextEncoder().encode(String(plain?.body)),
  );
});
