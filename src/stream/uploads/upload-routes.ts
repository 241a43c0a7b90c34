// Uploads over HTTP: tus 1.0.0 by our own route table, and what has become of each as JSON.
import { get, head, options, post, receive, remove } from '../../base/api/endpoint.ts';
import { idMax, integer, text } from '../../base/api/fields.ts';
import { envelope, pageNumber, pageSize } from '../../base/api/paging.ts';
import { type AnyRoute, type Handlers, routes } from '../../base/api/route.ts';
import type { Store } from '../../base/db/sql.ts';
import { ofAccount } from '../../base/db/whose.ts';
import type { Zone } from '../../base/lib/time.ts';
import { ownerOf } from '../../library/access/owner.ts';
import { callersChannel } from '../../library/channels/channel-store.ts';
import type { NodeUploads } from './node-uploads.ts';
import {
  pieceType,
  readBytes,
  readMetadata,
  tus,
  tusExtensions,
  type UploadRow,
  uploadView,
} from './upload.ts';
import { uploadDocs } from './upload-docs.ts';
import * as uploadStore from './upload-store.ts';

interface Parts {
  store: Store;
  zone: Zone;
  now: () => number;
  uploads: NodeUploads;
}

export function uploadRoutes(parts: Parts): AnyRoute[] {
  const handlers = {
    describeUploads,
    beginUpload,
    listUploads,
    getUpload,
    findOffset,
    continueUpload,
    endUpload,
  };
  return routes({ table: uploadTable, docs: uploadDocs, handlers, parts });
}

const uploadsPerPage = { default: 20, max: 100 };

const uploadById = {
  params: { upload_id: text('upload id', { min: 32, max: 32 }) },
  absent: 'noUpload',
} as const;

/** Each is answered by the function of its name. */
const uploadTable = {
  describeUploads: options('/manage/v1/uploads', 'videos:write', {}),
  beginUpload: post('/manage/v1/uploads', 'videos:write', { speaks: tus, creates: true }),
  listUploads: get('/manage/v1/uploads', 'videos:write', {
    query: {
      channel_id: integer('only those of this channel', { min: 1, max: idMax }),
      perPage: pageSize(uploadsPerPage),
      p: pageNumber,
    },
    fresh: true,
  }),
  getUpload: get('/manage/v1/uploads/{upload_id}', 'videos:write', { ...uploadById, fresh: true }),
  findOffset: head('/manage/v1/uploads/{upload_id}', 'videos:write', {
    ...uploadById,
    speaks: tus,
  }),
  continueUpload: receive('/manage/v1/uploads/{upload_id}', 'videos:write', {
    ...uploadById,
    speaks: tus,
    receives: { type: pieceType },
    // Who makes it whole is noted.
    audit: 'changes',
  }),
  endUpload: remove('/manage/v1/uploads/{upload_id}', 'videos:write', {
    ...uploadById,
    speaks: tus,
  }),
};

type Handle = Handlers<typeof uploadTable, typeof uploadDocs, Parts>;

const describeUploads: Handle['describeUploads'] = async (_, { uploads }) => ({
  body: null,
  headers: {
    [tus.header]: tus.version,
    [tus.versionsHeader]: tus.version,
    'Tus-Extension': tusExtensions,
    'Tus-Max-Size': String(uploads.sizeMax),
  },
});

const beginUpload: Handle['beginUpload'] = async (call, parts) => {
  const { store, uploads } = parts;
  const owner = ownerOf(call.caller);
  const size = readBytes('Upload-Length', call.header('upload-length'), 1);
  const metadata = readMetadata(call.header('upload-metadata'));
  await callersChannel(store, metadata.channel_id, call.caller);
  const row = await uploads.begin({ ...metadata, owner, size }, store);
  return {
    body: shown(row, parts),
    headers: {
      Location: `${call.baseUrl}/manage/v1/uploads/${row.id}`,
      ...expires(row.touched_at, parts),
    },
  };
};

const listUploads: Handle['listUploads'] = async (call, parts) => {
  const { channel_id, p = 1, perPage = uploadsPerPage.default } = call.query;
  const { total, rows } = await parts.store.perform(uploadStore.listUploads, {
    owner: ownerOf(call.caller),
    channel_id,
    limit: perPage,
    offset: (p - 1) * perPage,
  });
  const { meta, links } = envelope(total, { p, perPage }, call);
  return { body: { uploads: rows.map((row) => shown(row, parts)), meta, links } };
};

const getUpload: Handle['getUpload'] = async (call, parts) => ({
  body: shown(await asked(call, parts), parts),
});

const findOffset: Handle['findOffset'] = async (call, parts) => {
  const row = await asked(call, parts);
  const came = await parts.uploads.settled(row);
  return {
    body: null,
    headers: {
      'Upload-Offset': String(came),
      'Upload-Length': String(row.size),
      ...expires(row.touched_at, parts),
    },
  };
};

const continueUpload: Handle['continueUpload'] = async (call, parts) => {
  const offset = readBytes('Upload-Offset', call.header('upload-offset'), 0);
  const row = await asked(call, parts);
  const { body } = call;
  // Its channel may be deleted while it comes.
  body.check(async () => void (await asked(call, parts)));
  const came = await parts.uploads.append(row, { offset, body }, parts.store);
  return {
    body: null,
    headers: { 'Upload-Offset': String(came), ...expires(parts.now(), parts) },
  };
};

const endUpload: Handle['endUpload'] = async (call, parts) => {
  await parts.uploads.remove(await asked(call, parts), parts.store);
  return { body: null };
};

type Asking = Parameters<Handle['getUpload']>[0];

/** The one that is asked for; throws where it is not the caller's. */
async function asked(
  { params, caller }: Pick<Asking, 'params' | 'caller'>,
  { store }: Parts,
): Promise<UploadRow> {
  return await uploadStore.findUpload(store.for(ofAccount(caller)), params.upload_id, caller);
}

function shown(row: UploadRow, { zone, uploads }: Parts) {
  return uploadView(row, { came: uploads.cameOf(row), keptMs: uploads.keptMs, zone });
}

/** As dates stand in headers (RFC 9110 5.6.7). */
function expires(touchedAt: number, { uploads }: Parts): Record<string, string> {
  return { 'Upload-Expires': new Date(touchedAt + uploads.keptMs).toUTCString() };
}
