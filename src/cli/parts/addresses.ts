// Addresses of the service as a person on this machine can use them.
import type { Config } from '../../config.ts';

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
  return host.includes(':') ? `[${host}]` : host;
}
