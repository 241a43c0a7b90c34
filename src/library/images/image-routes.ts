// Pictures of a channel's page over HTTP: uploading one, and showing it by its address.
import { upload } from '../../base/api/endpoint.ts';
import { ApiError } from '../../base/api/errors.ts';
import type { PlainHandler } from '../../base/api/plain-answer.ts';
import { type AnyRoute, type Handlers, routes } from '../../base/api/route.ts';
import type { Store } from '../../base/db/sql.ts';
import { ofNetwork } from '../../base/db/whose.ts';
import { RememberedReads } from '../../base/lib/remembered-reads.ts';
import { SteppedWork } from '../../base/turns/stepped-work.ts';
import type { KeptRoom } from '../access/kept-room.ts';
import { ownerOf } from '../access/owner.ts';
import { channelById } from '../channels/channel.ts';
import { callersChannel } from '../channels/channel-store.ts';
import { endings, imageAddress, imageNamed } from './image.ts';
import { ImageProblem } from './image-bytes.ts';
import { imageDocs } from './image-docs.ts';
import { withoutExtras } from './image-extras.ts';
import { type ImageFacts, readImageFile } from './image-file.ts';
import { imageLimits, imageTypes } from './image-limits.ts';
import { addImage, findImage, readImageBytes } from './image-store.ts';
import { checkPngPixels } from './png-pixels.ts';
import { checkPngProfile } from './png-profile.ts';

interface Given {
  store: Store;
  now: () => number;
  room: KeptRoom;
}

interface Parts extends Given {
  /** Pictures that are being read, together. */
  reading: SteppedWork;
}

export function imageRoutes(given: Given): AnyRoute[] {
  const reading = new SteppedWork({ turnMs: imageLimits.turnMs });
  const parts = { ...given, reading };
  return routes({ table: imageTable, docs: imageDocs, handlers: { uploadImage }, parts });
}

const imageTable = {
  uploadImage: upload('/manage/v1/channels/{channel_id}/images', 'channels:write', {
    ...channelById,
    takes: { types: imageTypes, bytesMax: imageLimits.bytesMax, otherwise: 'notImage' },
  }),
};

type Handle = Handlers<typeof imageTable, typeof imageDocs, Parts>;

const uploadImage: Handle['uploadImage'] = async (call, { store, now, room, reading }) => {
  const { body: sent, caller } = call;
  const { id: channel_id } = await callersChannel(store, call.params.channel_id, caller);
  const { type, width, height, bytes } = await checkedImage(sent, reading);
  const order = { channel_id, owner: ownerOf(caller), type, width, height, bytes, now: now() };
  const { account_id } = caller;
  const id = await room({ account_id, bytes: bytes.length }, () => store.perform(addImage, order));
  return { body: { address: imageAddress({ id, type }), width, height } };
};

/** What is to be kept of it: whoever loads a page need not learn where and with what its pictures were taken. */
async function checkedImage(
  sent: Uint8Array,
  reading: SteppedWork,
): Promise<ImageFacts & { bytes: Uint8Array }> {
  try {
    const image = await reading.run(readImageFile(sent));
    if (image.type === 'image/png') {
      if (image.profile) await checkPngProfile(image.profile);
      await checkPngPixels(image);
    }
    const bytes = await reading.run(withoutExtras(sent, image.type));
    const { type, width, height } = await reading.run(readImageFile(bytes));
    return { type, width, height, bytes };
  } catch (error) {
    if (error instanceof ImageProblem) throw new ApiError('invalid', { message: error.message });
    throw error;
  }
}

/** Of uploaded pictures, for anybody who knows the address. */
export function imagePaths({ store }: { store: Store }): Record<string, PlainHandler> {
  const bytesOf = rememberedBytes(store);
  return {
    '/images/:name': async ({ params, address }) => {
      const named = imageNamed(params['name'] ?? '');
      const image = named && (await findImage(store.for(ofNetwork(address)), named.id));
      const bytes =
        named && image && named.ending === endings[image.type]
          ? await bytesOf(named.id, address)
          : undefined;
      if (!image || !bytes) throw new ApiError('noPath', { message: 'No such picture' });
      return { headers: { ...imageHeaders, 'content-type': image.type }, body: bytes };
    },
  };
}

/** It is a picture and nothing else, whatever a browser finds in it; what it is never changes. */
const imageHeaders = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; sandbox",
  'content-disposition': 'inline',
  'cache-control': 'public, max-age=31536000, immutable',
};

type Bytes = Uint8Array<ArrayBuffer>;

/** Those of a show are asked for by everybody who opens its page, in the same minute. */
function rememberedBytes(store: Store) {
  const { rememberedBytesMax: max } = imageLimits;
  const known = new RememberedReads<Bytes>({ max, weigh: ({ length }) => length });
  return (id: string, address: string): Promise<Bytes | undefined> =>
    known.find(
      id,
      async () => (await store.perform(readImageBytes, { id, address })) as Bytes | undefined,
    );
}
