// A publish address as encoders ask for it: the server and the key apart.

/** Of `rtmp://host:1935/live/KEY`. */
export function publishParts(address: string): { server: string; key: string } {
  const at = address.lastIndexOf('/');
  return { server: address.slice(0, at), key: address.slice(at + 1) };
}
