// What a Host header may say: a name or an address, and perhaps a port.

/** A name's longest (RFC 1035 2.3.4). */
export const hostNameCharactersMax = 253;

const label = '[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?';
const name = `(?=[^:]{1,${hostNameCharactersMax}}(?::|$))(?:${label}\\.)*${label}\\.?`;
const hostShape = new RegExp(`^(?:${name}|\\[[0-9a-f:.]{2,45}\\])(?::\\d{1,5})?$`, 'i');

/** A header that was sent twice comes as both with a comma between, which no host name has. */
export function isHost(text: string): boolean {
  return hostShape.test(text);
}
