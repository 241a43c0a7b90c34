// Addresses of the service as a person on this machine can use them.
import { networkHost } from '../../base/lib/network-address.ts';
import type { Config } from '../../config.ts';

/** Also for who is at another machine of the network, where no setting says what they call this one. */
export function forOthers(config: Config): Config {
  return { ...config, host: networkHost(config.host) ?? config.host };
}

export function siteAddress(config: Config, port = config.port): string {
  const scheme = config.tlsCert === '' ? 'http' : 'https';
  return config.publicUrl || `${scheme}://${shownHost(config)}:${port}`;
}

export function rtmpAddress(config: Config): string {
  return config.rtmpPublicUrl || localRtmpAddress(config);
}

/** Where a program beside the service reaches it, whatever name it has for others. */
export function localRtmpAddress(config: Config): string {
  return `rtmp://${shownHost(config)}:${config.rtmpPort}`;
}

/** Every address of the machine is also localhost. */
function shownHost({ host }: Config): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost';
  return host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
}
