// An upload: a file that comes over HTTP by tus 1.0.0, piece by piece, and becomes a video of its channel.
import * as z from 'zod';
import type { Protocol } from '../../base/api/endpoint.ts';
import { invalidField, quoted } from '../../base/api/errors.ts';
import { idMax, integer, text } from '../../base/api/fields.ts';
import { readPart } from '../../base/api/shape.ts';
import type { Zone } from '../../base/lib/time.ts';

export const tus: Protocol = {
  header: 'Tus-Resumable',
  version: '1.0.0',
  versionsHeader: 'Tus-Version',
};

/** What of tus is spoken beside its core. */
export const tusExtensions = 'creation,expiration,termination';

/** Of the body of a PATCH. */
export const pieceType = 'application/offset+octet-stream';

/** It comes; it is whole, and read; it is a video; or it became none. */
export const uploadStates = ['coming', 'reading', 'done', 'refused'] as const;
export type UploadState = (typeof uploadStates)[number];

export interface UploadRow {
  id: string;
  account_id: number;
  channel_id: number;
  /** Whose disk it lies on. */
  node: string;
  /** Of the folder it becomes. */
  recording: string;
  name: string;
  filename: string;
  size: number;
  /** How much has come, as last noted; the file's length is the truth. */
  came: number;
  state: UploadState;
  /** Why it is refused; else empty. */
  problem: string;
  /** The same as JSON, for programs. */
  reason: string;
  video_id: number | null;
  created_at: number;
  touched_at: number;
}

export const uploadAnswer = z
  .object({
    id: z.string().meta({ description: 'upload id' }),
    channel_id: z.int().meta({ description: 'channel that the video is for' }),
    name: z.string().meta({ description: 'what the video is called' }),
    filename: z.string().meta({ description: 'what the file was called; may be empty' }),
    size: z.int().meta({ description: 'length of the file in bytes' }),
    offset: z.int().meta({ description: 'how much of it has come' }),
    state: z.enum(uploadStates).meta({
      description:
        '`coming`: bytes are missing; `reading`: it is whole, and is being made a video; `done`; `refused`: see `problem`',
    }),
    problem: z.string().meta({ description: 'why it is refused; else empty' }),
    reason: z
      .record(z.string(), z.union([z.string(), z.number()]))
      .nullable()
      .meta({
        description: 'the same for programs: its `code`, and what the sentence names',
      }),
    video_id: z.int().nullable().meta({ description: 'the video, when it is done' }),
    created: z.string().meta({ description: 'when it was begun' }),
    expires: z
      .string()
      .meta({ description: 'when it is forgotten; each byte that comes puts it off' }),
  })
  .meta({ title: 'Upload' });

export function uploadView(
  row: UploadRow,
  { came, keptMs, zone }: { came: number; keptMs: number; zone: Zone },
): z.output<typeof uploadAnswer> {
  const { id, channel_id, name, filename, size, state, problem, video_id } = row;
  return {
    ...{ id, channel_id, name, filename, size, offset: came, state, problem, video_id },
    reason: row.reason === '' ? null : JSON.parse(row.reason),
    created: zone.dateTime(row.created_at),
    expires: zone.dateTime(row.touched_at + keptMs),
  };
}

/** Whether all of it had come; what was refused before has lost what came. */
export function isWhole({ size, came, state }: UploadRow): boolean {
  return state !== 'coming' && came === size;
}

export interface UploadMetadata {
  channel_id: number;
  filename: string;
  name: string;
}

const metadataFields = {
  channel_id: integer('channel id', { min: 1, max: idMax }),
  filename: text('name of the file', { max: 255, trim: true, isVisible: true }),
  name: text('name of the video', { max: 255, trim: true, isVisible: true }),
};

/** `Upload-Metadata`: keys with their values in base64, by commas (tus 1.0.0, Creation). Keys that we do not know pass. */
export function readMetadata(header: string | null): UploadMetadata {
  const came: Record<string, string> = {};
  for (const pair of (header ?? '').split(',')) {
    const [key = '', value = '', ...more] = pair.trim().split(' ');
    if (key === '') continue;
    if (more.length > 0 || !isBase64(value) || Object.hasOwn(came, key))
      throw invalidField(
        'Upload-Metadata',
        `Upload-Metadata must be keys, each once and with its value in base64 (got ${quoted(pair.trim())})`,
      );
    came[key] = Buffer.from(value, 'base64').toString();
  }
  const {
    channel_id,
    filename = '',
    name = '',
  } = readPart(metadataFields, came, { required: ['channel_id'] });
  return { channel_id, filename, name };
}

function isBase64(value: string): boolean {
  return /^[A-Za-z0-9+/]*={0,2}$/.test(value) && value.length % 4 === 0;
}

/** A count of bytes in a header. */
export function readBytes(name: string, came: string | null, min: number): number {
  const value = came !== null && /^\d{1,15}$/.test(came) ? Number(came) : Number.NaN;
  if (value >= min) return value;
  throw invalidField(
    name,
    `${name} must be a whole number from ${min} (got ${quoted(came ?? '')})`,
  );
}

/** What the video is called where nobody says: as the file, without what its type is called. */
export function nameOf({ name, filename }: Pick<UploadMetadata, 'name' | 'filename'>): string {
  return name || filename.replace(/(?<=.)\.\w{1,5}$/, '');
}
