// Requests of tus, as a program makes them that has no library for it.
import { pieceType, tus } from '../../src/stream/uploads/upload.ts';

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
