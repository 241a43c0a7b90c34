// Export and erasure of one viewer, beside the interface.
import { type CallOf, post } from '../../base/api/endpoint.ts';
import { idMax, integer } from '../../base/api/fields.ts';
import { type AnyRoute, type Handlers, routes } from '../../base/api/route.ts';
import type { Store } from '../../base/db/sql.ts';
import { checkHeldChannel } from '../../library/channels/channel-store.ts';
import { type ChatWatch, viewerIdField } from '../chat/moderation.ts';
import { eraseViewerEverywhere, type ViewerQuery } from './viewer-data-store.ts';
import { viewerDocs } from './viewer-docs.ts';
import { openViewerExport } from './viewer-export.ts';

interface Parts {
  store: Store;
  now: () => number;
  watch: ErasureWatch;
  /** What let somebody into a channel is gone: every node looks at once. */
  admissionChanged(channel_id: number): void;
}

/** Presence is told, so that the viewer's pages come back at once as those of somebody new. */
export interface ErasureWatch extends Pick<ChatWatch, 'removed'> {
  erased(channel_id: number, viewer_id: string): void;
}

export function viewerRoutes(parts: Parts): AnyRoute[] {
  const handlers = { exportViewer, eraseViewer };
  return routes({ table: viewerTable, docs: viewerDocs, handlers, parts });
}

const viewerBody = {
  viewer_id: viewerIdField,
  channel_id: integer('one channel; all of the account where it is absent', { min: 1, max: idMax }),
};

/** Each is answered by the function of its name. */
const viewerTable = {
  exportViewer: post('/manage/v1/viewers/export', 'manage', {
    audit: 'taken',
    body: viewerBody,
    required: ['viewer_id'],
    streamed: 'application/x-ndjson',
  }),
  eraseViewer: post('/manage/v1/viewers/erase', 'manage', {
    body: viewerBody,
    required: ['viewer_id'],
  }),
};

type Table = typeof viewerTable;
type Handle = Handlers<Table, typeof viewerDocs, Parts>;

const exportViewer: Handle['exportViewer'] = async (call, { store }) => ({
  body: await openViewerExport(store, await viewerQuery(call, store)),
  headers: { 'Content-Disposition': 'attachment; filename="viewer.ndjson"' },
});

const eraseViewer: Handle['eraseViewer'] = async (
  call,
  { store, now, watch, admissionChanged },
) => {
  const { viewer_id } = call.body;
  const query = await viewerQuery(call, store);
  const erased = await eraseViewerEverywhere(store, { ...query, now: now() });
  for (const { channel_id, message_ids, registrations, lists } of erased) {
    if (registrations + lists > 0) admissionChanged(channel_id);
    watch.removed(channel_id, message_ids);
    watch.erased(channel_id, viewer_id);
  }
  const channels = erased.map(({ message_ids, ...counts }) => ({
    ...counts,
    messages: message_ids.length,
  }));
  return { body: { viewer_id, channels } };
};

/** A channel that is named must be the caller's; also a deleted one is. */
async function viewerQuery(
  { caller, body: { viewer_id, channel_id } }: CallOf<Table[keyof Table]>,
  store: Store,
): Promise<ViewerQuery> {
  if (channel_id !== undefined) await checkHeldChannel(store, channel_id, caller);
  return { account_id: caller.account_id, viewer_id, channel_id };
}
