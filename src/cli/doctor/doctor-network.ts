// The doctor on the network: the two ports, the public address, the certificate.
import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer, isIP } from 'node:net';
import { connect as connectSecurely } from 'node:tls';
import { Networks } from '../../base/lib/ip-address.ts';
import { isLoopbackHost } from '../../base/lib/network-address.ts';
import type { Config } from '../../config.ts';
import { siteAddress } from '../parts/addresses.ts';
import type { Run } from '../parts/command.ts';
import { speaksRtmp } from '../parts/rtmp-greeting.ts';
import { type Finding, findings } from './doctor-finding.ts';

const answerWithinMs = 5_000;
const dayMs = 86_400_000;
/** Who renews by hand needs so long; programs renew a month before. */
const soonDays = 14;

export async function portFindings(config: Config): Promise<Finding[]> {
  const tell = findings('ports');
  const { port, rtmpPort, host, tlsCert } = config;
  const scheme = tlsCert === '' ? 'http' : 'https';
  const here = hereOf(host);
  const shown = here.includes(':') ? `[${here}]` : here;
  return [
    await portFinding({
      ...{ tell, host, port, variable: 'PORT' },
      isOurs: async () => (await isAlive(`${scheme}://${shown}:${port}`)) === undefined,
    }),
    await portFinding({
      ...{ tell, host, port: rtmpPort, variable: 'RTMP_PORT' },
      isOurs: () => speaksRtmp(here, rtmpPort, headerFrom(here, config)),
    }),
  ];
}

/** Where this machine is a proxy of its own: a PROXY header that speaks for nobody else. */
function headerFrom(here: string, { rtmpProxyProtocol, trustedProxies }: Config): string {
  const isProxy = rtmpProxyProtocol && new Networks(trustedProxies).has(here);
  return isProxy ? 'PROXY UNKNOWN\r\n' : '';
}

async function portFinding(given: {
  tell: ReturnType<typeof findings>;
  host: string;
  port: number;
  variable: string;
  isOurs(): Promise<boolean>;
}): Promise<Finding> {
  const { tell, host, port, variable, isOurs } = given;
  if (port === 0) return tell.ok(`${variable} takes a free one`);
  const problem = await tryToListen(host, port);
  if (problem === undefined) return tell.ok(`${variable} ${port} is free`);
  if (problem === 'EADDRINUSE')
    return (await isOurs())
      ? tell.ok(`${variable} ${port} is held by a service that answers`)
      : tell.failed(
          `${variable} ${port} is held by another program`,
          `Stop that program, or choose another port with ${variable}.`,
        );
  if (problem === 'EACCES')
    return tell.failed(
      `${variable} ${port} may not be used by this user`,
      `Choose a port from 1024 on with ${variable}, or let systemd or a proxy have this one.`,
    );
  return tell.failed(
    `${variable} ${port} of HOST ${host} cannot be listened on (${problem})`,
    'Set HOST to an address of this machine, or 0.0.0.0 for all.',
  );
}

/** Undefined where it can be listened on; else the system's word for why not. */
function tryToListen(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}

/** Undefined where a service of ours answers; else why not. */
async function isAlive(site: string): Promise<string | undefined> {
  try {
    const answer = await fetch(`${site}/livez`, {
      signal: AbortSignal.timeout(answerWithinMs),
      redirect: 'manual',
      // What the certificate is worth is a finding of its own.
      tls: { rejectUnauthorized: false },
    });
    const text = (await answer.text()).slice(0, 100);
    if (answer.status === 200 && text === 'ok\n') return undefined;
    return `it answered ${answer.status}, not as a Footlight does`;
  } catch (error) {
    return (error as Error).message;
  }
}

export async function publicAddressFindings({
  config,
  wrongSettings,
}: Pick<Run, 'config' | 'wrongSettings'>): Promise<Finding[]> {
  const tell = findings('public address');
  const { publicUrl } = config;
  if (wrongSettings.some((problem) => problem.startsWith('PUBLIC_URL ')))
    return [
      tell.warning('PUBLIC_URL cannot be read, so it is not asked', 'See the settings above.'),
    ];
  if (publicUrl === '')
    return [
      tell.warning(
        `PUBLIC_URL is not set: links have the host that each request names, commands print ${siteAddress(config)}`,
        'Set PUBLIC_URL to the address that viewers use, such as https://live.example.com.',
      ),
    ];
  const problem = await isAlive(publicUrl);
  if (problem !== undefined)
    return [
      tell.failed(
        `${publicUrl}/livez cannot be had from here: ${problem}`,
        'Start the service; else look at the name (DNS), the proxy in front, and the firewall.',
      ),
    ];
  if (isLoopbackHost(new URL(publicUrl).hostname))
    return [
      tell.warning(
        `${publicUrl} answers, on this machine alone`,
        'Set PUBLIC_URL to the address that viewers use, where there are any elsewhere.',
      ),
    ];
  return [tell.ok(`${publicUrl} answers`)];
}

export async function certificateFindings(config: Config): Promise<Finding[]> {
  const tell = findings('certificate');
  const { tlsCert, tlsKey, publicUrl } = config;
  if (tlsCert !== '' || tlsKey !== '') return await ownCertificate(config);
  if (!publicUrl.startsWith('https:'))
    return [tell.ok('there is none: the service speaks plain HTTP')];
  const { hostname, port } = new URL(publicUrl);
  const found = await shownCertificate(hostname, Number(port || 443));
  if (typeof found === 'string')
    return [
      tell.failed(
        `${publicUrl} shows none: ${found}`,
        'See that the proxy in front runs and has a certificate for that name.',
      ),
    ];
  return [endFinding(found, `of ${publicUrl}`)];
}

async function ownCertificate({ tlsCert, tlsKey }: Config): Promise<Finding[]> {
  const tell = findings('certificate');
  if (tlsCert === '' || tlsKey === '')
    return [
      tell.failed(
        `${tlsCert === '' ? 'TLS_KEY' : 'TLS_CERT'} is set without the other`,
        'Set both TLS_CERT and TLS_KEY, or neither.',
      ),
    ];
  try {
    const certificate = new X509Certificate(await readFile(tlsCert));
    const { createPrivateKey } = await import('node:crypto');
    const isPair = certificate.checkPrivateKey(createPrivateKey(await readFile(tlsKey)));
    return [
      endFinding(certificate, tlsCert),
      ...(isPair
        ? []
        : [
            tell.failed(
              `TLS_KEY ${tlsKey} is not the key of TLS_CERT ${tlsCert}`,
              'Name the key that the certificate was made with.',
            ),
          ]),
    ];
  } catch (error) {
    return [
      tell.failed(
        `TLS_CERT or TLS_KEY cannot be read: ${(error as Error).message}`,
        'Both must be PEM files that the user who runs the service may read.',
      ),
    ];
  }
}

function endFinding({ validTo }: Pick<X509Certificate, 'validTo'>, which: string): Finding {
  const tell = findings('certificate');
  const left = (Date.parse(validTo) - Date.now()) / dayMs;
  const says = `${which} is good until ${validTo}`;
  const remedy = 'Renew it; after new files send the service SIGHUP, which reads them.';
  if (left <= 0) return tell.failed(`${which} has ended on ${validTo}`, remedy);
  return left < soonDays ? tell.warning(says, remedy) : tell.ok(says);
}

/** What a server shows, whatever it is worth; a text where there is none. */
function shownCertificate(
  host: string,
  port: number,
): Promise<Pick<X509Certificate, 'validTo'> | string> {
  return new Promise((resolve) => {
    const name = host.replace(/^\[|\]$/g, '');
    const socket = connectSecurely({
      ...{ host: name, port, rejectUnauthorized: false },
      // An address is no name to ask for (RFC 6066 3).
      ...(isIP(name) === 0 && { servername: name }),
    });
    const end = (found: Pick<X509Certificate, 'validTo'> | string) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(found);
    };
    const timer = setTimeout(() => end('it does not answer'), answerWithinMs);
    socket.once('secureConnect', () => {
      const { valid_to } = socket.getPeerCertificate();
      end(valid_to ? { validTo: valid_to } : 'no certificate');
    });
    socket.once('error', (error) => end(error.message));
  });
}

/** Where a program of this machine reaches what listens there. */
function hereOf(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  return host === '::' ? '::1' : host;
}
