// The handshake: 1,536 random bytes each way, plain, or signed as Flash Player and its servers do.
import { createHmac, randomBytes } from 'node:crypto';
import { GrowingBytes, keep, type Lent } from '../../base/bytes/memory.ts';
import { WireError } from './message.ts';

/** Version 3 is RTMP; 6 and 8 are its encrypted kinds. */
const version = 3;
export const helloBytes = 1536;

/** One side of a handshake: reads version and hello, answers, and passes over the peer's echo. */
export class Handshake {
  private readonly answer: (hello: Uint8Array) => void;

  private readonly opening = new GrowingBytes(1 + helloBytes);
  private echoBytesLeft = helloBytes;

  constructor(answer: (hello: Uint8Array) => void) {
    this.answer = answer;
  }

  get isDone(): boolean {
    return this.echoBytesLeft === 0;
  }

  /** Takes what belongs to the handshake and returns what follows it. */
  push(bytes: Lent): Lent {
    const rest = this.opening.isFull ? bytes : this.pushOpening(bytes);
    // Whether the echo is right tells us nothing: old encoders send anything.
    const echoBytes = Math.min(this.echoBytesLeft, rest.length);
    this.echoBytesLeft -= echoBytes;
    return rest.subarray(echoBytes);
  }

  private pushOpening(bytes: Lent): Lent {
    const taken = Math.min(bytes.length, 1 + helloBytes - this.opening.length);
    this.opening.append(bytes.subarray(0, taken));
    const asked = this.opening.bytes[0] ?? version;
    if (asked !== version) throw new WireError(`RTMP version ${asked} is not spoken here`);
    if (this.opening.isFull) this.answer(keep(this.opening.bytes.subarray(1)));
    return bytes.subarray(taken);
  }
}

/** S0, S1 and S2 for a client's C1. */
export function serverHandshake(hello: Uint8Array): Uint8Array {
  const clientDigest = findDigest(hello);
  // A plain client wants its own bytes back.
  if (!clientDigest) return Buffer.concat([Uint8Array.of(version), plainHello(), hello]);
  return Buffer.concat([
    Uint8Array.of(version),
    signedHello(clientDigest.scheme),
    signedEcho(clientDigest.digest),
  ]);
}

/** C0 and C1 of a plain client; its C2 is the server's S1 as it came. */
export function clientHandshake(): Uint8Array {
  return Buffer.concat([Uint8Array.of(version), plainHello()]);
}

/** Where a hello keeps its digest: four bytes at `seedAt`, added up, say how far behind them. */
interface Scheme {
  readonly seedAt: number;
}

/** A key exchange for the encrypted kind lies in the half that the digest does not use. */
const schemes: readonly Scheme[] = [{ seedAt: 8 }, { seedAt: 772 }];
const digestBytes = 32;
const digestOffsets = 728;

const playerText = 'Genuine Adobe Flash Player 001';
const serverText = 'Genuine Adobe Flash Media Server 001';
/** Adobe's constant; the server signs its echo with the text and this. */
const serverKey = Buffer.concat([
  Buffer.from(serverText),
  Buffer.from('f0eec24a8068bee82e00d0d1029e7e576eec5d2d29806fab93b8e636cfeb31ae', 'hex'),
]);
/** Clients check a server's signature only if it claims a version at all. */
const serverVersion = [4, 5, 0, 1];

function findDigest(hello: Uint8Array): { scheme: Scheme; digest: Uint8Array } | undefined {
  // A plain hello has four zeros here and a signed one the player's version.
  if (hello.subarray(4, 8).every((byte) => byte === 0)) return undefined;
  for (const scheme of schemes) {
    const at = digestAt(hello, scheme);
    const digest = hello.subarray(at, at + digestBytes);
    if (digestOf(hello, at, playerText).equals(digest)) return { scheme, digest };
  }
  return undefined;
}

function digestAt(hello: Uint8Array, { seedAt }: Scheme): number {
  const seed = hello.subarray(seedAt, seedAt + 4).reduce((sum, byte) => sum + byte, 0);
  return seedAt + 4 + (seed % digestOffsets);
}

/** Of everything but the digest's own place. */
function digestOf(hello: Uint8Array, at: number, key: string): Buffer {
  return createHmac('sha256', key)
    .update(hello.subarray(0, at))
    .update(hello.subarray(at + digestBytes))
    .digest();
}

function plainHello(): Buffer {
  const hello = randomBytes(helloBytes);
  return hello.fill(0, 0, 8);
}

function signedHello(scheme: Scheme): Buffer {
  const hello = plainHello();
  hello.set(serverVersion, 4);
  const at = digestAt(hello, scheme);
  hello.set(digestOf(hello, at, serverText), at);
  return hello;
}

function signedEcho(clientDigest: Uint8Array): Buffer {
  const echo = randomBytes(helloBytes);
  const key = createHmac('sha256', serverKey).update(clientDigest).digest();
  const signedBytes = helloBytes - digestBytes;
  echo.set(createHmac('sha256', key).update(echo.subarray(0, signedBytes)).digest(), signedBytes);
  return echo;
}
