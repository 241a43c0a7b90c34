// How two nodes prove to each other that they know a secret of the database, without saying it.
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

export type LinkRole = 'dialler' | 'server';

/** All that both have said, and each must see in the same way. */
export interface Acquaintance {
  dialler: { node: string; run: string; nonce: string };
  server: { node: string; run: string; nonce: string };
  /** Where the dialler has dialled, without the scheme: who is asked at another address is another. */
  address: string;
}

const nonceBytes = 16;

export function newNonce(): string {
  return randomBytes(nonceBytes).toString('hex');
}

/** By which both find a secret that they share; nobody finds the secret by it. */
export function secretName(secret: string): string {
  return createHash('sha256').update(`name of a link secret\0${secret}`).digest('hex').slice(0, 16);
}

/** The role is in it, so that nobody's proof is good as an answer to itself. */
export function proofOf(secret: string, role: LinkRole, met: Acquaintance): string {
  const { dialler, server, address } = met;
  const said = [
    'footlight link 1',
    role,
    ...[dialler.node, dialler.run, dialler.nonce],
    ...[server.node, server.run, server.nonce],
    address,
  ];
  return createHmac('sha256', secret).update(JSON.stringify(said)).digest('hex');
}

export function isProof(given: string, wanted: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(wanted)];
  return one.length === other.length && timingSafeEqual(one, other);
}
