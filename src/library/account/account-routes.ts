// The account as its owner sees it, beside the interface: plan, counts, retention, what its videos take.
import { get, put } from '../../base/api/endpoint.ts';
import { ApiError } from '../../base/api/errors.ts';
import { choice, flag, text } from '../../base/api/fields.ts';
import { envelope, pageNumber, pageSize } from '../../base/api/paging.ts';
import { type AnyRoute, type Handlers, routes } from '../../base/api/route.ts';
import type { Store } from '../../base/db/sql.ts';
import { ofAccount } from '../../base/db/whose.ts';
import type { Zone } from '../../base/lib/time.ts';
import { countedAccount, placeLanguages, setAccount } from '../access/account-store.ts';
import { videoCopies } from '../videos/video.ts';
import { accountDocs } from './account-docs.ts';
import { storageUse } from './storage-store.ts';

interface Parts {
  store: Store;
  zone: Zone;
  /** What the operator has set, and an account is told. */
  config: Record<
    | 'channelsPerAccount'
    | 'accountDiskBytes'
    | 'videoRetentionDays'
    | 'audienceRetentionDays'
    | 'ipRetentionDays',
    number
  >;
}

export function accountRoutes(parts: Parts): AnyRoute[] {
  const handlers = { getAccount, changeAccount, getStorage };
  return routes({ table: accountTable, docs: accountDocs, handlers, parts });
}

const channelsPerPage = { default: 30, max: 100 };

/** Each is answered by the function of its name. */
const accountTable = {
  getAccount: get('/manage/v1/account', 'manage', {}),
  changeAccount: put('/manage/v1/account', 'manage', {
    told: ['name'],
    body: {
      name: text('name of the account', { min: 1, max: 255, trim: true, examples: ['Lantern'] }),
      auto_save_live_video: flag('whether a push becomes a video', { cleared: true }),
      place_language: choice('language of places in new watch records', {
        of: placeLanguages,
        cleared: 'en',
      }),
    },
  }),
  getStorage: get('/manage/v1/storage', 'manage', {
    query: { p: pageNumber, perPage: pageSize(channelsPerPage) },
  }),
};

type Handle = Handlers<typeof accountTable, typeof accountDocs, Parts>;

const getAccount: Handle['getAccount'] = async ({ caller }, parts) => ({
  body: await shown(caller, parts),
});

const changeAccount: Handle['changeAccount'] = async ({ caller, body }, parts) => {
  const { account_id: id } = caller;
  const { name, auto_save_live_video, place_language } = body;
  const change = { id, name, plan: undefined, auto_save_live_video, place_language };
  await parts.store.perform(setAccount, change);
  return { body: await shown(caller, parts) };
};

async function shown(caller: { account_id: number }, { store, zone, config }: Parts) {
  const row = await countedAccount(store.for(ofAccount(caller)), caller.account_id);
  if (!row) throw new ApiError('noUser');
  // What its pushes are shown in is the operator's to say.
  const { auto_save_live_video, live_ladder: _, created_at, ...rest } = row;
  return {
    ...rest,
    auto_save_live_video: auto_save_live_video === 1,
    created_at: zone.dateTime(created_at),
    channels_max: config.channelsPerAccount,
    video_retention_days: config.videoRetentionDays,
    audience_retention_days: config.audienceRetentionDays,
    ip_retention_days: config.ipRetentionDays,
  };
}

const getStorage: Handle['getStorage'] = async (call, { store, config }) => {
  const { p = 1, perPage = channelsPerPage.default } = call.query;
  const { account_id } = call.caller;
  const asked = { account_id, limit: perPage, offset: (p - 1) * perPage };
  const use = await store.perform(storageUse, asked);
  const { total, videos, bytes, uploadedBytes, imageBytes, captionsBytes, rows } = use;
  return {
    body: {
      bytes: videoCopies * (bytes + uploadedBytes) + imageBytes + captionsBytes,
      uploads_bytes: videoCopies * uploadedBytes,
      images_bytes: imageBytes,
      captions_bytes: captionsBytes,
      bytes_max: config.accountDiskBytes,
      videos,
      channels: rows.map((row) => ({
        id: row.channel_id,
        name: row.name ?? '',
        deleted: row.deleted === 1,
        videos: row.videos,
        bytes: videoCopies * row.bytes,
      })),
      ...envelope(total, { p, perPage }, call),
    },
  };
};
