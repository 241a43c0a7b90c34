// A service with a certificate, in a process of its own, and an attacker who has a channel there.
import type { Target } from '../support/attacks/attack.ts';
import { makeCertificate } from '../support/certificate.ts';
import { temporaryFolder } from '../support/engines.ts';
import { type ServiceProcess, startProcess } from '../support/service-process.ts';

export interface SecureService {
  process: ServiceProcess;
  /** With its token. */
  ask(path: string, init?: RequestInit): Promise<Response>;
  target: Target;
}

export async function startSecureService(
  bounds: Record<string, string> = {},
): Promise<SecureService> {
  const settings = { DATA_DIR: temporaryFolder(), MIN_FREE_DISK: '10M', LOG_LEVEL: 'silent' };
  const process = await startProcess({ ...settings, ...bounds, ...makeCertificate() });
  const ask = (path: string, init: RequestInit = {}) => {
    const headers = { authorization: `Bearer ${process.token}` };
    return fetch(process.url + path, { ...init, headers, tls: { rejectUnauthorized: false } });
  };
  const asked = { method: 'POST', body: JSON.stringify({ name: 'a show' }) };
  const made = (await (await ask('/v1/activities', asked)).json()) as ShownChannel;
  const [stream_key = '', play_id = ''] = [made.rtmp_publish_addr, made.rtmp_play_addr].map((url) =>
    url.split('/').at(-1),
  );
  const target = {
    port: Number(new URL(process.url).port),
    rtmpPort: Number(new URL(made.rtmp_publish_addr).port),
    token: process.token,
    channels: [{ id: made.id, stream_key, play_id }],
    show: { id: 0, play_id: '' },
  };
  return { process, ask, target };
}

interface ShownChannel {
  id: number;
  rtmp_publish_addr: string;
  rtmp_play_addr: string;
}
