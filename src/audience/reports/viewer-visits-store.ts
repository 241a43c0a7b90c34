// What the database has of one viewer of a channel: who they are, their visits, what they said and shared.
import { read } from '../../base/db/sql.ts';
import { ofAccount } from '../../base/db/whose.ts';
import type { Admitted } from '../../library/admission/admission.ts';
import type { Silence } from '../chat/chat-message.ts';
import { silencesOfViewer } from '../chat/chat-store.ts';
import type { SessionRow } from '../records/session.ts';
import { readSpans } from '../records/span.ts';
import type { VisitorRow } from '../records/visitor.ts';
import { linesMax, visitsMax } from './viewer-visits-limits.ts';

/** Shows of those visits; a visit may last over some. */
const showsMax = 1_000;

export interface ViewerVisits {
  visitor: VisitorRow;
  sessions: SessionRow[];
  messages: { id: number; text: string; sent_at: number }[];
  shares: { shared_at: number }[];
  silences: Silence[];
  registrations: StoredRegistration[];
  /** Those that the visits name. */
  shows: { id: number; begin_at: number; end_at: number | null }[];
}

/** What they filled into a form: of the channel, or of a video of it. */
interface StoredRegistration {
  thing: Admitted;
  answers: string;
  registered_at: number;
  ended_at: number | null;
}

/** Undefined where the channel knows no such viewer. */
export const readViewerVisits = read(
  'reports.viewer',
  ofAccount,
  async (
    sql,
    input: { account_id: number; channel_id: number; viewer_id: string },
  ): Promise<ViewerVisits | undefined> => {
    const whose = [input.channel_id, input.viewer_id];
    const visitor = await sql.one<VisitorRow>(
      'SELECT * FROM visitors WHERE channel_id = $1 AND viewer_id = $2',
      whose,
    );
    if (!visitor) return undefined;
    const sessions = await sql.all<SessionRow>(
      `SELECT * FROM sessions WHERE channel_id = $1 AND viewer_id = $2
       ORDER BY seq DESC LIMIT CAST($3 AS BIGINT)`,
      [...whose, visitsMax],
    );
    const messages = await sql.all<ViewerVisits['messages'][number]>(
      `SELECT id, text, sent_at FROM chat_messages WHERE channel_id = $1 AND viewer_id = $2
       ORDER BY id DESC LIMIT CAST($3 AS BIGINT)`,
      [...whose, linesMax],
    );
    const shares = await sql.all<ViewerVisits['shares'][number]>(
      `SELECT shared_at FROM shares WHERE channel_id = $1 AND viewer_id = $2
       ORDER BY shared_at DESC LIMIT CAST($3 AS BIGINT)`,
      [...whose, linesMax],
    );
    const registrations = await sql.all<StoredRegistration>(
      `SELECT thing, answers, registered_at, ended_at FROM registrations
       WHERE channel_id = $1 AND viewer_id = $2 ORDER BY registered_at DESC LIMIT CAST($3 AS BIGINT)`,
      [...whose, linesMax],
    );
    const named = new Set(
      sessions
        .flatMap(({ spans }) => (spans === null ? [] : readSpans(spans)))
        .map(({ show }) => show),
    );
    const first = Math.min(...named);
    const shows =
      named.size === 0
        ? []
        : await sql.all<ViewerVisits['shows'][number]>(
            `SELECT id, begin_at, end_at FROM shows WHERE channel_id = $1 AND begin_at >= $2
               AND begin_at <= $3 ORDER BY begin_at DESC LIMIT CAST($4 AS BIGINT)`,
            [input.channel_id, first, Math.max(...named), showsMax],
          );
    return {
      visitor,
      sessions,
      messages,
      shares,
      registrations,
      silences: await silencesOfViewer(sql, input.channel_id, input.viewer_id),
      shows: shows.filter(({ begin_at }) => named.has(begin_at)),
    };
  },
);
