// Certificates of this machine's own making, for a day.
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
  const { exitCode, stderr } = Bun.spawnSync([
    ...['openssl', 'req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'],
    ...['-nodes', '-subj', `/CN=${name}`, '-days', '1'],
    ...['-out', files.TLS_CERT, '-keyout', files.TLS_KEY],
  ]);
  if (exitCode !== 0) throw new Error(stderr.toString());
  return files;
}

function filesIn(folder: string) {
  return { TLS_CERT: join(folder, 'cert.pem'), TLS_KEY: join(folder, 'key.pem') };
}
