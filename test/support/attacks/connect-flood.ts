// Thousands of RTMP connects a second from a few addresses: some go at once, some after a hello, some stay.
import { clientHandshake } from '../../../src/stream/rtmp/handshake.ts';
import { floodConnects } from '../rude/many-connects.ts';
import type { Attack } from './attack.ts';

export const attack: Attack = {
  name: 'connect-flood',
  sentence: '8,000 RTMP connects a second from 4 addresses go at once, after a hello, or stay',
  refusals: ['rtmp dropped'],
  over: 'rtmp',
  run: ({ rtmpPort: port }, given) =>
    floodConnects({ ...given, port, hello: clientHandshake(), ...size }),
};

const size = { addresses: 4, perSecond: 8_000, forMs: 10_000 };
