// A ticket: what a page carries so that its connection is let in, signed when the page is served.
import { readSignedText, signedText } from '../../base/lib/signed-text.ts';

export interface Ticket {
  channel_id: number;
  viewer_id: string;
  nick: string;
  phone: string;
  origin: string;
  /** Read by services of the version before alone: they write places in it. */
  language: 'en' | 'zh';
  issued_at: number;
  /** What lets its page in where not everybody may watch; else empty. */
  pass: string;
}

const kind = 't1';
/** A page that has been open for longer than a day gets a new ticket by loading again. */
export const ticketMaxMs = 24 * 3_600_000;

/** The fields in this order, without their names: a ticket travels with every page. */
type Fields = [
  channel_id: number,
  viewer_id: string,
  nick: string,
  phone: string,
  origin: string,
  language: 'en' | 'zh',
  issued_at: number,
  /** Not in a ticket of the version before. */
  pass?: string,
];

export function signTicket(
  secret: string,
  ticket: Omit<Ticket, 'pass'> & Partial<Pick<Ticket, 'pass'>>,
): string {
  const { channel_id, viewer_id, nick, phone, origin, language, issued_at, pass = '' } = ticket;
  const fields: Fields = [channel_id, viewer_id, nick, phone, origin, language, issued_at];
  if (pass !== '') fields.push(pass);
  const payload = Buffer.from(JSON.stringify(fields)).toString('base64url');
  return signedText(secret, kind, payload);
}

/** Undefined where it is forged, broken or older than a day. */
export function readTicket(secret: string, text: string, now: number): Ticket | undefined {
  const payload = readSignedText(secret, kind, text);
  if (payload === undefined) return undefined;
  // The signature is ours and names this format, so the fields are as they were written.
  const fields = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Fields;
  const [channel_id, viewer_id, nick, phone, origin, language, issued_at, pass = ''] = fields;
  if (now - issued_at > ticketMaxMs) return undefined;
  return { channel_id, viewer_id, nick, phone, origin, language, issued_at, pass };
}
