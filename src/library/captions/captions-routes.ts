// Captions of a video over HTTP: listed, set by a file, taken along, removed.
import { get, remove, replace } from '../../base/api/endpoint.ts';
import { text } from '../../base/api/fields.ts';
import { essenceOf } from '../../base/api/json-body.ts';
import { type AnyRoute, type Handlers, routes } from '../../base/api/route.ts';
import type { Sql, Store } from '../../base/db/sql.ts';
import { ofAccount } from '../../base/db/whose.ts';
import { SteppedWork } from '../../base/turns/stepped-work.ts';
import type { KeptRoom } from '../access/kept-room.ts';
import { ownerOf } from '../access/owner.ts';
import { videoById } from '../videos/video.ts';
import { findVideo } from '../videos/video-store.ts';
import { captionsView, labelField } from './captions.ts';
import { captionsDocs } from './captions-docs.ts';
import { captionsLimits, captionTypes } from './captions-limits.ts';
import * as captionsStore from './captions-store.ts';
import { givenCaptions, languageIn } from './given-captions.ts';

interface Given {
  store: Store;
  room: KeptRoom;
}

interface Parts extends Given {
  /** Files that are being read, together. */
  reading: SteppedWork;
}

export function captionsRoutes(given: Given): AnyRoute[] {
  const parts = { ...given, reading: new SteppedWork({ turnMs: captionsLimits.turnMs }) };
  const handlers = { listCaptions, getCaptions, setCaptions, removeCaptions };
  return routes({ table: captionsTable, docs: captionsDocs, handlers, parts });
}

const inOneLanguage = {
  params: {
    ...videoById.params,
    language: text('language by its tag (BCP 47), as `en` or `zh-Hant`', {
      min: 1,
      max: 100,
      examples: ['en'],
    }),
  },
  absent: videoById.absent,
};

/** Each is answered by the function of its name. */
const captionsTable = {
  listCaptions: get('/manage/v1/videos/{video_id}/captions', 'videos:read', videoById),
  getCaptions: get('/manage/v1/videos/{video_id}/captions/{language}', 'videos:read', {
    ...inOneLanguage,
    streamed: 'text/vtt',
  }),
  setCaptions: replace('/manage/v1/videos/{video_id}/captions/{language}', 'videos:write', {
    ...inOneLanguage,
    query: { label: labelField },
    takes: {
      types: captionTypes,
      bytesMax: captionsLimits.bytesMax,
      otherwise: 'notCaptions',
    },
  }),
  removeCaptions: remove(
    '/manage/v1/videos/{video_id}/captions/{language}',
    'videos:write',
    inOneLanguage,
  ),
};

type Handle = Handlers<typeof captionsTable, typeof captionsDocs, Parts>;

const listCaptions: Handle['listCaptions'] = async ({ params, caller, baseUrl }, { store }) => {
  const sql = store.for(ofAccount(caller));
  const { id } = await findVideo(sql, params.video_id, caller);
  return { body: await listed(sql, id, baseUrl) };
};

const getCaptions: Handle['getCaptions'] = async ({ params, caller }, { store }) => {
  const language = languageIn(params);
  const asked = { video_id: params.video_id, language, owner: ownerOf(caller) };
  let rest: string | undefined = await store.perform(captionsStore.captionsTextOf, asked);
  return {
    body: async () => {
      const piece = rest;
      rest = undefined;
      return piece;
    },
  };
};

const setCaptions: Handle['setCaptions'] = async (call, { store, room, reading }) => {
  const { params, query, caller, body: sent } = call;
  const { video_id } = params;
  const language = languageIn(params);
  const { account_id } = await findVideo(store.for(ofAccount(caller)), video_id, caller);
  const type = captionTypes.find((one) => one === essenceOf(call.header('content-type') ?? ''));
  const given = { type: type ?? 'text/vtt', language, label: query.label };
  const made = await reading.run(givenCaptions(sent, given));
  const order = { video_id, owner: ownerOf(caller), made };
  const rows = await captionsStore.captionsOf(store.for(ofAccount(caller)), video_id);
  const before = rows.find((one) => one.language === language);
  // What they take the place of gives its room back.
  const bytes = Math.max(0, made.bytes - (before?.bytes ?? 0));
  await room({ account_id, bytes }, () => store.perform(captionsStore.setCaptions, order));
  return { body: captionsView(video_id, made, call.baseUrl) };
};

const removeCaptions: Handle['removeCaptions'] = async (call, { store }) => {
  const { params, caller, baseUrl } = call;
  const { video_id } = params;
  const order = { video_id, language: languageIn(params), owner: ownerOf(caller) };
  await store.perform(captionsStore.removeCaptions, order);
  return { body: await listed(store.for(ofAccount(caller)), video_id, baseUrl) };
};

async function listed(sql: Sql, video_id: number, baseUrl: string) {
  const rows = await captionsStore.captionsOf(sql, video_id);
  return { captions: rows.map((row) => captionsView(video_id, row, baseUrl)) };
}
