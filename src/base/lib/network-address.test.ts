// Which of a machine's addresses is given to others.
import { expect, test } from 'bun:test';
import { type Machine, networkHost } from './network-address.ts';

const lo = [ipv4('127.0.0.1', true), ipv6('::1', true)];
const bridges = {
  docker0: [ipv4('172.17.0.1')],
  'br-5f3c0a': [ipv4('172.18.0.1'), ipv6('fd00:5f3c::1')],
  veth12ab: [ipv6('fe80::1')],
};
const wlan0 = [ipv6('fe80::2'), ipv6('2001:db8::20'), ipv4('192.168.1.20')];
const everywhere = '0.0.0.0';

test.each([
  ['the one there is', { lo, wlan0 }, '192.168.1.20'],
  ['the first of several', { lo, eth0: [ipv4('10.0.0.7')], wlan0 }, '10.0.0.7'],
  [
    'none of a bridge between containers, wherever it stands',
    { ...bridges, lo, wlan0 },
    '192.168.1.20',
  ],
  [
    'none of a tunnel',
    { lo, tun0: [ipv4('10.8.0.2')], wg0: [ipv4('10.9.0.2')], wlan0 },
    '192.168.1.20',
  ],
  ['none that a machine gives itself', { lo, eth0: [ipv4('169.254.7.7')], wlan0 }, '192.168.1.20'],
  ['nothing where there is a bridge alone', { lo, ...bridges }, undefined],
  ['nothing without a network', { lo }, undefined],
] as const)('it is %s', (_, interfaces, address) => {
  expect(networkHost(everywhere, machine(interfaces))).toBe(address);
});

test('IPv6 is taken where nothing else is, and only where it is listened on', () => {
  const six = machine({ lo, eth0: [ipv6('fe80::2'), ipv6('2001:db8::20')] });
  expect(networkHost('::', six)).toBe('[2001:db8::20]');
  expect(networkHost(everywhere, six)).toBeUndefined();
  expect(networkHost('::', machine({ lo, wlan0 }))).toBe('192.168.1.20');
});

test.each(['127.0.0.1', 'localhost', '::1', '192.168.1.20'])('HOST %s stays as it is', (host) => {
  expect(networkHost(host, machine({ lo, wlan0 }))).toBeUndefined();
});

test('the address of a container is given to nobody', () => {
  expect(
    networkHost(everywhere, {
      ...machine({ lo, eth0: [ipv4('172.17.0.2')] }),
      isContainer: () => true,
    }),
  ).toBeUndefined();
});

function machine(interfaces: ReturnType<Machine['interfaces']>): Machine {
  return { interfaces: () => interfaces, isContainer: () => false };
}

function ipv4(address: string, internal = false) {
  return { address, family: 'IPv4', internal } as const;
}

function ipv6(address: string, internal = false) {
  return { address, family: 'IPv6', internal } as const;
}
