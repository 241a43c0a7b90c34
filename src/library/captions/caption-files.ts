// Answers under `/recordings/ID/captions/`: the captions of a video, as players load them.
import {
  anyOrigin,
  type MediaAnswer,
  type MediaHandler,
  noMedia,
} from '../../base/api/media-answer.ts';
import { hasTag } from '../../base/api/request.ts';
import type { Store } from '../../base/db/sql.ts';
import { ofNetwork } from '../../base/db/whose.ts';
import { RecentMap } from '../../base/lib/recent-map.ts';
import { captionsLimits } from './captions-limits.ts';
import { findCaptions, readCaptions } from './captions-store.ts';
import { canonicalTag } from './language-tag.ts';

/** Text and nothing else, whatever a browser finds in it. It may be changed, and whoever has it asks whether it was. */
const headers = {
  'content-type': 'text/vtt; charset=utf-8',
  'cache-control': 'no-cache',
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; sandbox",
  ...anyOrigin,
};

export function captionFiles({ store }: { store: Pick<Store, 'for' | 'perform'> }): MediaHandler {
  const known = new RecentMap<string, string>({
    max: captionsLimits.rememberedCharactersMax,
    weigh: ({ length }) => length,
  });
  return async ({ params, header, address }): Promise<MediaAnswer> => {
    const { id = '', file = '' } = params;
    const [, language = ''] = /^(.+)\.vtt$/.exec(file) ?? [];
    if (!/^[1-9]\d{0,15}$/.test(id) || canonicalTag(language) !== language)
      return noMedia('No such file');
    const one = { video_id: Number(id), language };
    const found = await findCaptions(store.for(ofNetwork(address)), one);
    if (!found) return noMedia('The video has no captions in that language');
    const tagged = { ...headers, etag: `"${found.tag}"` };
    if (hasTag(header('if-none-match') ?? '', tagged.etag))
      return { status: 304, headers: tagged, body: null };
    // Those of a show are asked for by everybody who opens its page, in the same minute.
    const key = `${id} ${language} ${found.tag}`;
    const text = known.get(key) ?? (await store.perform(readCaptions, { ...one, address }));
    if (text === undefined) return noMedia('The video has no captions in that language');
    known.set(key, text);
    return { status: 200, headers: tagged, body: text };
  };
}
