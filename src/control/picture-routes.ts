// A picture of a channel's stream, for lists and the control room.
import { get } from '../base/api/endpoint.ts';
import { type AnyRoute, type Handlers, routes } from '../base/api/route.ts';
import type { Store } from '../base/db/sql.ts';
import { channelById } from '../library/channels/channel.ts';
import { callersChannel } from '../library/channels/channel-store.ts';
import type { SharedPictures } from '../stream/pictures/shared-pictures.ts';
import { pictureDocs } from './picture-docs.ts';

interface Parts {
  store: Store;
  pictures: Pick<SharedPictures, 'of'>;
}

export function pictureRoutes(parts: Parts): AnyRoute[] {
  return routes({ table: pictureTable, docs: pictureDocs, handlers: { getPicture }, parts });
}

const pictureTable = {
  getPicture: get('/manage/v1/channels/{channel_id}/picture.jpg', 'channels:read', {
    ...channelById,
    streamed: 'image/jpeg',
  }),
};

type Handle = Handlers<typeof pictureTable, typeof pictureDocs, Parts>;

const getPicture: Handle['getPicture'] = async ({ params, caller }, { store, pictures }) => {
  const channel = await callersChannel(store, params.channel_id, caller);
  return { body: await pictures.of(channel) };
};
