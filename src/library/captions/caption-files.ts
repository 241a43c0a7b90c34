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
import { RememberedReads } from '../../base/lib/remembered-reads.ts';
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

/** One that is replaced while it is read is looked for again; who replaces it twice in that time is asked again. */
const looksMax = 2;

export function captionFiles({ store }: { store: Pick<Store, 'for' | 'perform'> }): MediaHandler {
  const { rememberedCharactersMax: max } = captionsLimits;
  const texts = new RememberedReads<string>({ max, weigh: ({ length }) => length });
  return async ({ params, header, address }): Promise<MediaAnswer> => {
    const { id = '', file = '' } = params;
    const [, language = ''] = /^(.+)\.vtt$/.exec(file) ?? [];
    if (!/^[1-9]\d{0,15}$/.test(id) || canonicalTag(language) !== language)
      return noMedia('No such file');
    const one = { video_id: Number(id), language };
    for (let look = 0; look < looksMax; look += 1) {
      const found = await findCaptions(store.for(ofNetwork(address)), one);
      if (!found) break;
      const { tag } = found;
      const tagged = { ...headers, etag: `"${tag}"` };
      if (hasTag(header('if-none-match') ?? '', tagged.etag))
        return { status: 304, headers: tagged, body: null };
      const text = await texts.find(`${id} ${language} ${tag}`, () =>
        store.perform(readCaptions, { ...one, tag, address }),
      );
      if (text !== undefined) return { status: 200, headers: tagged, body: text };
    }
    return noMedia('The video has no captions in that language');
  };
}
