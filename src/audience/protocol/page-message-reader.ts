// Reads what a page says: text from a stranger in, a message or nothing out.
import { isTypeIn, type MessageOf } from './message-table.ts';
import {
  type Hello,
  type PageMessage,
  type Report,
  type Said,
  type Say,
  type Share,
  shareWays,
} from './messages.ts';

/** Longer than any that a page makes; kept for every session. */
const instanceMax = 40;
/** As many as a page keeps (`said-reports.ts`). */
const saidReportsMax = 60;

/** Undefined where it is none of the messages that a page sends. */
export function readPageMessage(text: string): PageMessage | undefined {
  const came = parsed(text);
  if (typeof came !== 'object' || came === null) return undefined;
  const { type, ...fields } = came as Fields;
  return isTypeIn(readers, type) ? readers[type](fields) : undefined;
}

type Fields = Record<string, unknown>;

/** Undefined where the fields are not those of the type. */
type Readers = {
  readonly [Type in PageMessage['type']]: (
    fields: Fields,
  ) => MessageOf<PageMessage, Type> | undefined;
};

const readers: Readers = {
  hello,
  report,
  chat: say,
  nick: ({ nick }) => (typeof nick === 'string' ? { type: 'nick', nick } : undefined),
  share,
};

function hello({ ticket, instance, resume, said }: Fields): Hello | undefined {
  if (typeof ticket !== 'string' || typeof instance !== 'string') return undefined;
  if (instance === '' || instance.length > instanceMax) return undefined;
  return {
    type: 'hello',
    ticket,
    instance,
    ...(typeof resume === 'string' && { resume }),
    ...readSaid(said),
  };
}

function readSaid(came: unknown): { said?: Said } {
  if (typeof came !== 'object' || came === null) return {};
  const { played_ms, reports } = came as Fields;
  if (!isNumber(played_ms) || !Array.isArray(reports)) return {};
  return { said: { played_ms, reports: reports.slice(-saidReportsMax).filter(isSaidReport) } };
}

function isSaidReport(came: unknown): came is Said['reports'][number] {
  return (
    Array.isArray(came) && (came.length === 2 || came.length === 3) && came.every(Number.isFinite)
  );
}

function report({ played_ms, shown_at }: Fields): Report | undefined {
  if (!isNumber(played_ms)) return undefined;
  return { type: 'report', played_ms, ...(isNumber(shown_at) && { shown_at }) };
}

function say({ text, reply_to }: Fields): Say | undefined {
  if (typeof text !== 'string') return undefined;
  const isId = isNumber(reply_to) && Number.isSafeInteger(reply_to) && reply_to > 0;
  return { type: 'chat', text, ...(isId && { reply_to }) };
}

function isNumber(came: unknown): came is number {
  return typeof came === 'number' && Number.isFinite(came);
}

function share({ how: came }: Fields): Share | undefined {
  const how = shareWays.find((way) => way === came);
  return how && { type: 'share', how };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Which session a page would go on with, and which run of a service had it, where it says so. */
export interface Resume {
  record_id: number;
  session_seq: number;
  held_by?: number;
}

/** A welcome gives it for coming back: it names the session, and is good for that session's viewer alone. */
export function resumeText(session: { record_id: number; seq: number }, held_by: number): string {
  return `${session.record_id}.${session.seq}.${held_by}`;
}

export function readResume(text: string | undefined): Resume | undefined {
  const [, record_id, session_seq, held_by] =
    /^(\d{1,15})\.(\d{1,15})(?:\.(\d{1,15}))?$/.exec(text ?? '') ?? [];
  if (record_id === undefined || session_seq === undefined) return undefined;
  return {
    record_id: Number(record_id),
    session_seq: Number(session_seq),
    ...(held_by !== undefined && { held_by: Number(held_by) }),
  };
}
