// The address by which others on the same network reach this machine.
import { existsSync } from 'node:fs';
import { type NetworkInterfaceInfo, networkInterfaces } from 'node:os';

type InterfaceAddress = Pick<NetworkInterfaceInfo, 'address' | 'family' | 'internal'>;

export interface Machine {
  interfaces(): Readonly<Record<string, readonly InterfaceAddress[] | undefined>>;
  /** Its own address then leads nowhere from outside; a port of the real machine leads here. */
  isContainer(): boolean;
}

const thisMachine: Machine = {
  interfaces: networkInterfaces,
  isContainer: () => ['/.dockerenv', '/run/.containerenv'].some((mark) => existsSync(mark)),
};

/**
 * As it stands in a URL. Undefined where there is none, or where what listens on `host` would not hear it: an address
 * there is one already, and localhost is meant for this machine alone.
 */
export function networkHost(host: string, machine = thisMachine): string | undefined {
  if ((host !== anyIpv4 && host !== anyAddress) || machine.isContainer()) return undefined;
  const addresses = Object.entries(machine.interfaces())
    .filter(([name]) => !withinMachine.test(name))
    .flatMap(([, own]) => own ?? [])
    .filter(({ internal, address }) => !internal && !linkLocal.test(address));
  const first = (wanted: 'IPv4' | 'IPv6') =>
    addresses.find(({ family }) => family === wanted)?.address;
  const six = host === anyAddress ? first('IPv6') : undefined;
  return first('IPv4') ?? (six && `[${six}]`);
}

/** A host in a URL by which a machine calls itself. */
export function isLoopbackHost(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\./.test(hostname);
}

const anyIpv4 = '0.0.0.0';
/** Both kinds. */
const anyAddress = '::';
/** Networks of containers and of virtual machines, and tunnels: a phone beside this machine is in none of them. */
const withinMachine =
  /^(docker|br-|veth|vEthernet|cni|flannel|cali|lxc|lxd|podman|virbr|vmnet|vboxnet|bridge\d|tun|tap|utun|wg|tailscale|zt|ppp)/i;
/** Nobody was there to give another one; of IPv6 such an address says nothing without the interface. */
const linkLocal = /^(169\.254\.|fe[89ab])/i;
