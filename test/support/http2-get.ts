// One answer of an HTTP/2 connection that others may share.
import type { ClientHttp2Session, OutgoingHttpHeaders } from 'node:http2';

export async function http2Get(
  session: ClientHttp2Session,
  path: string,
  headers: OutgoingHttpHeaders = {},
): Promise<{ status: number; body: Buffer }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; body: Buffer }>();
  const stream = session.request({ ...headers, ':path': path });
  const pieces: Buffer[] = [];
  let status = 0;
  stream.on('response', (headers) => {
    status = Number(headers[':status']);
  });
  stream.on('data', (bytes: Buffer) => pieces.push(bytes));
  stream.on('end', () => resolve({ status, body: Buffer.concat(pieces) }));
  stream.on('error', reject);
  stream.end();
  return await promise;
}
