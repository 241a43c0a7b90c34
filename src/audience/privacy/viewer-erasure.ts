// Erases one viewer: watch records, visitors, chat messages, mutes and bans.
import { type Store, write } from '../../base/db/sql.ts';
import { ofAccount } from '../../base/db/whose.ts';
import { eraseViewer } from '../records/audience-store.ts';
import { channelsOfViewer, type ViewerQuery } from './viewer-data.ts';

/** What was erased in a channel. */
export interface ErasedViewer {
  channel_id: number;
  /** Sessions and the visitor. */
  records: number;
  message_ids: number[];
  silences: number;
}

/** Channel by channel, each in a transaction of its own: one that breaks off may simply be asked for again. */
export async function eraseViewerEverywhere(
  store: Store,
  query: ViewerQuery,
): Promise<ErasedViewer[]> {
  const erased: ErasedViewer[] = [];
  for (const channel_id of await store.perform(channelsOfViewer, query))
    erased.push(await store.perform(eraseViewerData, { ...query, channel_id }));
  return erased;
}

export const eraseViewerData = write(
  'privacy.eraseViewer',
  ofAccount,
  async (
    sql,
    input: { account_id: number; channel_id: number; viewer_id: string },
  ): Promise<ErasedViewer> => {
    const { channel_id, viewer_id } = input;
    const records = await eraseViewer.run(sql, input);
    const messages = await sql.all<{ id: number }>(
      'DELETE FROM chat_messages WHERE channel_id = $1 AND viewer_id = $2 RETURNING id',
      [channel_id, viewer_id],
    );
    const silences = await sql.run(
      'DELETE FROM chat_silences WHERE channel_id = $1 AND viewer_id = $2',
      [channel_id, viewer_id],
    );
    return { channel_id, records, message_ids: messages.map(({ id }) => id), silences };
  },
);
