// The doctor on the settings: those that cannot be read, contradict each other, or are spelt almost like one.
import { type Config, settings } from '../../config.ts';
import type { Run } from '../parts/command.ts';
import { misspeltSettings } from '../parts/misspelt-settings.ts';
import { type Finding, findings } from './doctor-finding.ts';

const tell = findings('settings');

export function settingFindings({ config, environment, wrongSettings }: Run): Finding[] {
  const found = [
    ...wrongSettings.map((problem) =>
      tell.failed(problem, 'Set it to what is wanted; docs/settings.md lists every one.'),
    ),
    ...misspelt(environment),
    ...contradictions(config),
  ];
  const given = settings.filter(({ variable }) => (environment[variable]?.trim() ?? '') !== '');
  return found.length > 0 ? found : [tell.ok(`${given.length} are set, and fit together`)];
}

function misspelt(environment: Run['environment']): Finding[] {
  return misspeltSettings(environment).map(({ variable, meant }) =>
    tell.warning(
      `${variable} is no setting, and is ignored`,
      meant === undefined
        ? 'Take it out, or look for its name in docs/settings.md.'
        : `Where ${meant} is meant, spell it so.`,
    ),
  );
}

function contradictions(config: Config): Finding[] {
  const { port, rtmpPort, publicUrl, tlsCert, trustedProxies, host, rtmpProxyProtocol } = config;
  const isOwnHttps = tlsCert !== '';
  const isPublicHttps = publicUrl.startsWith('https:');
  const isHere = /^(127\.|localhost$|::1$)/.test(host);
  return [
    ...(rtmpProxyProtocol && trustedProxies === ''
      ? [
          tell.failed(
            'RTMP_PROXY_PROTOCOL is true, and no proxy is trusted: what comes through one is refused',
            'Set TRUSTED_PROXIES to the address that the load balancer connects from.',
          ),
        ]
      : []),
    ...(port !== 0 && port === rtmpPort
      ? [tell.failed(`PORT and RTMP_PORT are both ${port}`, 'Give one of them another port.')]
      : []),
    ...(isOwnHttps && publicUrl !== '' && !isPublicHttps
      ? [
          tell.warning(
            'with TLS_CERT the service speaks HTTPS, and PUBLIC_URL begins with http:',
            'Write PUBLIC_URL with https:.',
          ),
        ]
      : []),
    ...(isPublicHttps && !isOwnHttps && trustedProxies === ''
      ? [
          tell.warning(
            'PUBLIC_URL is https, which the service does not speak itself, and no proxy is trusted: every viewer has the address of the proxy, and all share one network’s limits',
            'Set TRUSTED_PROXIES to the address of the proxy, such as 127.0.0.1.',
          ),
        ]
      : []),
    ...(isHere && publicUrl !== '' && trustedProxies === '' && !isPublicHttps
      ? [
          tell.warning(
            `HOST ${host} lets nobody in but this machine, and PUBLIC_URL is ${publicUrl}`,
            'Set HOST to 0.0.0.0, or TRUSTED_PROXIES to the proxy that stands in front.',
          ),
        ]
      : []),
  ];
}
