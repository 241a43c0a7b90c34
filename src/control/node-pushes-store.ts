// Which channels each node has on air.
import { read } from '../base/db/sql.ts';
import { ofAccount, ofNamed } from '../base/db/whose.ts';

/** How many there are by node, of all accounts, whoever asks. */
export const pushesByNode = read(
  'nodes.pushes',
  ofNamed,
  async (sql, _: { account_id?: number }): Promise<PushCount[]> => {
    return await sql.all<PushCount>(
      `SELECT live_node AS node, COUNT(*) AS pushes FROM channels
       WHERE live = 1 AND live_node IS NOT NULL GROUP BY live_node`,
    );
  },
);

export interface PushCount {
  node: string;
  pushes: number;
}

export interface ChannelOnNode {
  id: number;
  name: string;
  node: string;
}

/** Of an account, those that went on air last first. */
export const channelsOnNodes = read(
  'nodes.channels',
  ofAccount,
  async (sql, asked: { account_id: number; limit: number }): Promise<ChannelOnNode[]> => {
    return await sql.all<ChannelOnNode>(
      `SELECT id, name, live_node AS node FROM channels
       WHERE account_id = $1 AND live = 1 AND live_node IS NOT NULL AND deleted_at IS NULL
       ORDER BY last_push_stream_at DESC, id LIMIT $2`,
      [asked.account_id, asked.limit],
    );
  },
);
