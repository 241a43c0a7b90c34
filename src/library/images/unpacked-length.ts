// Counts what packed bytes unpack to, and holds nothing of it.
import { createInflate } from 'node:zlib';

/** Memory that is used for each piece. */
const pieceBytes = 65_536;

/**
 * More than `max` where it is more, of which no more is unpacked; undefined where they are damaged or cut. Runs beside the
 * main thread.
 */
export async function unpackedLength(packed: Uint8Array, max: number): Promise<number | undefined> {
  const inflate = createInflate({ chunkSize: pieceBytes });
  const { promise, resolve } = Promise.withResolvers<number | undefined>();
  let found = 0;
  inflate.on('data', (piece: Uint8Array) => {
    found += piece.length;
    if (found > max) resolve(found);
  });
  inflate.on('end', () => resolve(found));
  inflate.on('error', () => resolve(undefined));
  // In one piece: a stream that is given hundreds of thousands of empty ones joins them again and again.
  inflate.end(packed);
  try {
    return await promise;
  } finally {
    inflate.destroy();
  }
}
