// Uploads for tests: requests of tus by hand and by a client that is not ours, and films to be sent.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Upload } from 'tus-js-client';
import { pieceType, tus } from '../../src/stream/uploads/upload.ts';
import { temporaryFolder } from './engines.ts';
import { clipPackets } from './media.ts';
import { recordPush } from './recorded-push.ts';

export const tusHeaders: Record<string, string> = { [tus.header]: tus.version };

/** Of the request that begins an upload. */
export function beginHeaders(
  metadata: Record<string, string | number>,
  length: number | string,
): Record<string, string> {
  const pairs = Object.entries(metadata).map(([key, value]) => `${key} ${base64(String(value))}`);
  return {
    ...tusHeaders,
    'upload-length': String(length),
    'upload-metadata': pairs.join(','),
  };
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

/** The body of a PATCH. */
export function pieceOf(bytes: string | Uint8Array): Blob {
  const part = typeof bytes === 'string' ? bytes : new Uint8Array(bytes);
  return new Blob([part], { type: pieceType });
}

/**
 * A film of the test clip, of so many bytes: between its fragments stand boxes that players pass by. Their lengths make a
 * chain, so a byte that is lost, doubled or out of place anywhere breaks it.
 */
export async function filmOf(bytes: number, seconds = 10): Promise<Uint8Array> {
  const folder = join(temporaryFolder(), 'film');
  const pieces = await recordPush(folder, clipPackets(seconds));
  const source = readFileSync(join(folder, 'source.mp4'));
  const fillBytes = Math.max(0, bytes - source.length);
  const each = Math.floor(fillBytes / pieces.length);
  const parts: Uint8Array[] = [];
  for (const [n, { at, size }] of pieces.entries()) {
    parts.push(source.subarray(at, at + size));
    const isLast = n === pieces.length - 1;
    const length = isLast ? fillBytes - each * (pieces.length - 1) : each;
    if (length >= boxHeadBytes) parts.push(freeBox(length));
  }
  return Buffer.concat(parts);
}

const boxHeadBytes = 8;

function freeBox(length: number): Uint8Array {
  const box = Buffer.alloc(length, 0x5a);
  box.writeUInt32BE(length, 0);
  box.write('free', 4, 'latin1');
  return box;
}

export interface TusOrder {
  /** Of the service, or of a line to it. */
  url: string;
  token: string;
  metadata: Record<string, string>;
  file: Uint8Array;
  /** Beside the token. */
  headers?: Record<string, string>;
  /** Bytes of one request; undefined: all that are missing. */
  chunkSize?: number;
  onProgress?(sent: number): void;
}

/** By a client that is not ours, which goes on after each cut; the path of the upload when all has come. */
export async function sendByTus(order: TusOrder): Promise<string> {
  const { url, token, metadata, file, headers, chunkSize, onProgress } = order;
  const upload = await new Promise<Upload>((resolve, reject) => {
    const one = new Upload(Buffer.from(file.buffer, file.byteOffset, file.byteLength), {
      endpoint: `${url}/manage/v1/uploads`,
      headers: { authorization: `Bearer ${token}`, ...headers },
      metadata,
      ...(chunkSize !== undefined && { chunkSize }),
      retryDelays: Array.from({ length: 200 }, () => 50),
      onProgress: (sent) => onProgress?.(sent),
      onError: reject,
      onSuccess: () => resolve(one),
    });
    one.start();
  });
  return new URL(upload.url ?? '').pathname;
}
