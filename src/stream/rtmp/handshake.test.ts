import { describe, expect, test } from 'bun:test';
import { captures } from '../../../test/fixtures/rtmp/replay.ts';
import { clientHandshake, Handshake, serverHandshake } from './handshake.ts';
import { WireError } from './message.ts';

const playerText = 'Genuine Adobe Flash Player 001';
const serverText = 'Genuine Adobe Flash Media Server 001';
const adobeTail = 'f0eec24a8068bee82e00d0d1029e7e576eec5d2d29806fab93b8e636cfeb31ae';

test('a plain client gets its own bytes back', () => {
  const hello = clientHandshake().subarray(1);
  const answer = serverHandshake(hello);
  expect(answer.length).toBe(1 + 1536 + 1536);
  expect(answer[0]).toBe(3);
  expect(answer.subarray(1 + 1536).toHex()).toBe(hello.toHex());
});

describe.each([
  ['first', 8],
  ['second', 772],
])('a hello signed in its %s half', (_half, seedAt) => {
  const hello = signedHello(seedAt);
  const answer = serverHandshake(hello);
  const serverHello = answer.subarray(1, 1 + 1536);

  test('is answered with one signed in the same half', () => {
    const at = digestAt(serverHello, seedAt);
    const digest = hmac(
      serverText,
      Buffer.concat([serverHello.subarray(0, at), serverHello.subarray(at + 32)]),
    );
    expect(serverHello.subarray(at, at + 32).toHex()).toBe(digest.toHex());
    expect(serverHello.subarray(4, 8).toHex()).not.toBe('00000000');
  });

  test("is answered with an echo that only a reader of the client's digest can sign", () => {
    const echo = answer.subarray(1 + 1536);
    const at = digestAt(hello, seedAt);
    const whole = Buffer.concat([Buffer.from(serverText), Buffer.from(adobeTail, 'hex')]);
    const key = hmac(whole, hello.subarray(at, at + 32));
    expect(echo.subarray(1504).toHex()).toBe(hmac(key, echo.subarray(0, 1504)).toHex());
  });
});

test("ffmpeg's hello is signed and OBS's is plain", () => {
  const isEchoed = (name: string) => {
    const hello = captures.find((capture) => capture.name === name)?.bytes.subarray(1, 1537);
    if (!hello) throw new Error(name);
    return Buffer.compare(serverHandshake(hello).subarray(1537), hello) === 0;
  };
  expect(isEchoed('ffmpeg51-ended')).toBe(false);
  expect(isEchoed('obs29-ended')).toBe(true);
});

test('a hello that claims a version but is not signed is taken as plain', () => {
  const hello = clientHandshake().subarray(1);
  hello.set([9, 0, 124, 2], 4);
  expect(serverHandshake(hello).subarray(1537).toHex()).toBe(hello.toHex());
});

test.each([0, 6, 8, 0x47])('version %d is refused by its first byte', (version) => {
  const handshake = new Handshake(() => {});
  expect(() => handshake.push(Uint8Array.of(version))).toThrow(WireError);
});

test.each([1, 7, 1536, 1537, 4000])('pieces of %d bytes make no difference', (size) => {
  const bytes = Buffer.concat([clientHandshake(), Buffer.alloc(1536, 1), Buffer.from('next')]);
  const answers: Uint8Array[] = [];
  const handshake = new Handshake((hello) => answers.push(hello));
  let rest = '';
  for (let at = 0; at < bytes.length; at += size) {
    rest += Buffer.from(handshake.push(bytes.subarray(at, at + size))).toString();
  }
  expect(rest).toBe('next');
  expect(answers.map((hello) => hello.toHex())).toEqual([bytes.subarray(1, 1537).toHex()]);
  expect(handshake.isDone).toBe(true);
});

function signedHello(seedAt: number): Uint8Array {
  const hello = crypto.getRandomValues(new Uint8Array(1536));
  hello.set([0, 0, 0, 0, 9, 0, 124, 2]);
  const at = digestAt(hello, seedAt);
  hello.set(hmac(playerText, Buffer.concat([hello.subarray(0, at), hello.subarray(at + 32)])), at);
  return hello;
}

function digestAt(hello: Uint8Array, seedAt: number): number {
  const [a = 0, b = 0, c = 0, d = 0] = hello.subarray(seedAt, seedAt + 4);
  return seedAt + 4 + ((a + b + c + d) % 728);
}

/** HMAC as RFC 2104 writes it, with nothing of what the handshake itself uses. */
function hmac(key: string | Uint8Array, message: Uint8Array): Uint8Array {
  const long = Buffer.from(key as string);
  const block = Buffer.alloc(64);
  block.set(long.length > 64 ? sha256(long) : long);
  const inner = sha256(Buffer.concat([block.map((byte) => byte ^ 0x36), message]));
  return sha256(Buffer.concat([block.map((byte) => byte ^ 0x5c), inner]));
}

function sha256(bytes: Uint8Array): Uint8Array {
  return Buffer.from(Bun.SHA256.hash(bytes, 'hex'), 'hex');
}
