// Whom an address stands for when it is counted: one IPv4 address, or one IPv6 network.

/** A home or a server has a /64 of IPv6 addresses to itself, so they count as one. */
export function networkOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  if (!address.includes(':')) return address;
  const [head = '', tail] = address.split('::');
  const groups = head === '' ? [] : head.split(':');
  const tailGroups = tail ? tail.split(':') : [];
  // `::` stands for as many zeros as are missing to eight.
  if (tail !== undefined) {
    while (groups.length + tailGroups.length < 8) groups.push('0');
  }
  return `${[...groups, ...tailGroups].slice(0, 4).join(':')}::/64`;
}
