// Certificates of this machine's own making, for a day.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from './engines.ts';

export const noOpenssl = Bun.which('openssl')
  ? undefined
  : 'it needs openssl to make a certificate';

/** Over the files of another where these are given: who has renewed one does so. */
export function makeCertificate(
  name = 'localhost',
  files = filesIn(temporaryFolder()),
): { TLS_CERT: string; TLS_KEY: string } {
  run([
    ...['openssl', 'req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'],
    ...['-nodes', '-subj', `/CN=${name}`, '-days', '1'],
    ...['-addext', `subjectAltName=DNS:${name}${name === 'localhost' ? ',IP:127.0.0.1' : ''}`],
    ...['-out', files.TLS_CERT, '-keyout', files.TLS_KEY],
  ]);
  return files;
}

/** One that was good until the beginning of 2026. */
export function makeEndedCertificate(): { TLS_CERT: string; TLS_KEY: string } {
  const folder = temporaryFolder();
  const files = filesIn(folder);
  const [request, config] = [join(folder, 'request.pem'), join(folder, 'ca.cnf')];
  writeFileSync(join(folder, 'index.txt'), '');
  writeFileSync(
    config,
    `[ca]\ndefault_ca=own\n[own]\ndatabase=${folder}/index.txt\nnew_certs_dir=${folder}\nrand_serial=yes
default_md=sha256\npolicy=any\n[any]\ncommonName=supplied\n`,
  );
  run([
    ...['openssl', 'req', '-new', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'],
    ...['-nodes', '-subj', '/CN=localhost', '-out', request, '-keyout', files.TLS_KEY],
  ]);
  run([
    ...['openssl', 'ca', '-batch', '-selfsign', '-notext', '-config', config],
    ...['-keyfile', files.TLS_KEY, '-in', request, '-out', files.TLS_CERT],
    ...['-startdate', '250101000000Z', '-enddate', '260101000000Z'],
  ]);
  return files;
}

function run(command: string[]): void {
  const { exitCode, stderr } = Bun.spawnSync(command);
  if (exitCode !== 0) throw new Error(stderr.toString());
}

function filesIn(folder: string) {
  return { TLS_CERT: join(folder, 'cert.pem'), TLS_KEY: join(folder, 'key.pem') };
}
