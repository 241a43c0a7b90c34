// Export and erasure of one viewer, beside the interface.
import * as z from 'zod';
import type { Caller } from '../../base/api/caller.ts';
import { idMax, integer } from '../../base/api/fields.ts';
import { type AnyRoute, route, streamedRoute } from '../../base/api/route.ts';
import type { Store } from '../../base/db/sql.ts';
import { callersChannel } from '../../library/channels/channel-store.ts';
import { type ChatWatch, viewerIdField } from '../chat/moderation.ts';
import { type ViewerQuery, viewerTables } from './viewer-data.ts';
import { eraseViewerEverywhere } from './viewer-erasure.ts';
import { openViewerExport } from './viewer-export.ts';

const viewerBody = {
  viewer_id: viewerIdField,
  channel_id: integer('one channel; all of the account where it is absent', { min: 1, max: idMax }),
};

const exportedLine = z
  .looseObject({
    table: z.enum(Object.keys(viewerTables)).meta({ description: 'where the line stands' }),
    channel_id: z.int().meta({ description: 'channel id' }),
    viewer_id: z.string().meta({ description: 'viewer id' }),
  })
  .meta({ title: 'ViewerLine', description: 'a row of the database, whole; instants are UTC' });

const erasedAnswer = z
  .object({
    viewer_id: z.string().meta({ description: 'viewer id' }),
    channels: z.array(
      z.object({
        channel_id: z.int().meta({ description: 'channel id' }),
        records: z.int().meta({ description: 'watch records and visitors erased' }),
        messages: z.int().meta({ description: 'chat messages erased' }),
        silences: z.int().meta({ description: 'mutes and bans erased' }),
      }),
    ),
  })
  .meta({ title: 'ErasedViewer' });

/** Whoever has the viewer's pages is told, so that they come back at once as those of somebody new. */
export interface ErasureWatch extends Pick<ChatWatch, 'removed'> {
  erased(channel_id: number, viewer_id: string): void;
}

export function viewerRoutes({ store, watch }: { store: Store; watch: ErasureWatch }): AnyRoute[] {
  /** A channel that is named must be the caller's. */
  const queryOf = async (
    caller: Caller,
    { viewer_id, channel_id }: { viewer_id: string; channel_id?: number },
  ): Promise<ViewerQuery> => {
    if (channel_id !== undefined) await callersChannel(store, channel_id, caller);
    return { account_id: caller.account_id, viewer_id, channel_id };
  };
  return [
    streamedRoute({
      operationId: 'exportViewer',
      method: 'POST',
      path: '/manage/v1/viewers/export',
      summary: 'Export everything that is known of one viewer, as NDJSON',
      section: 'own',
      scope: 'manage',
      params: {},
      query: {},
      body: viewerBody,
      required: ['viewer_id'],
      streamed: 'application/x-ndjson',
      answer: exportedLine,
      example: {
        table: 'chat_messages',
        channel_id: 1024,
        viewer_id: 'u-58213',
        id: 7,
        nick: 'Li Wei',
        text: 'Hello',
        sent_at: '2026-05-01T11:31:02.120Z',
      },
      errors: ['noChannel'],
      handle: async ({ caller, body }) => ({
        body: await openViewerExport(store, await queryOf(caller, body)),
        headers: { 'Content-Disposition': 'attachment; filename="viewer.ndjson"' },
      }),
    }),
    route({
      operationId: 'eraseViewer',
      method: 'POST',
      path: '/manage/v1/viewers/erase',
      summary: 'Erase one viewer: watch records, visitors, chat messages, mutes and bans',
      note: 'Nothing of it can be brought back. A viewer who comes again is a new one; so is one who is there now, whose page is sent away and comes back. A player without a page is counted again once it begins anew.',
      section: 'own',
      scope: 'manage',
      params: {},
      query: {},
      body: viewerBody,
      required: ['viewer_id'],
      answer: erasedAnswer,
      example: {
        viewer_id: 'u-58213',
        channels: [{ channel_id: 1024, records: 3, messages: 4, silences: 0 }],
      },
      errors: ['noChannel'],
      handle: async ({ caller, body }) => {
        const erased = await eraseViewerEverywhere(store, await queryOf(caller, body));
        for (const { channel_id, message_ids } of erased) {
          watch.removed(channel_id, message_ids);
          watch.erased(channel_id, body.viewer_id);
        }
        const channels = erased.map(({ message_ids, ...counts }) => ({
          ...counts,
          messages: message_ids.length,
        }));
        return { body: { viewer_id: body.viewer_id, channels } };
      },
    }),
  ];
}
