// Whether a service that speaks RTMP answers at an address.
import { connect } from 'node:net';

const answerWithinMs = 5_000;

/** A first word of RTMP is answered with its version (RTMP 1.0 5.2.2). `before` is what the address wants first. */
export function speaksRtmp(host: string, port: number, before = ''): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: answerWithinMs });
    const end = (is: boolean) => {
      socket.destroy();
      resolve(is);
    };
    socket.once('connect', () => {
      const hello = Buffer.alloc(1 + 1_536);
      hello[0] = 3;
      socket.write(Buffer.concat([Buffer.from(before), hello]));
    });
    socket.once('data', (bytes) => end(bytes[0] === 3));
    for (const event of ['error', 'timeout', 'close'] as const)
      socket.once(event, () => end(false));
  });
}
