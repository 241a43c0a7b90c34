// A publisher with a key of its own that sends messages without end: plain empty ones, and thousands in one.
import type { OutgoingMessage } from '../../../src/stream/rtmp/chunk-writer.ts';
import { messageType } from '../../../src/stream/rtmp/message.ts';
import { controlMessage } from '../../../src/stream/rtmp/rtmp-command.ts';
import {
  connectMessage,
  connectRudely,
  emptyMessages,
  overAndOver,
  publishMessage,
  rudeSession,
  wire,
} from '../rude/rude-rtmp.ts';
import type { Attack } from './attack.ts';

const forMs = 5_000;
/** A channel may be published to only so often. */
const breathMs = 500;
/** Each costs fifteen bytes. */
const aggregateParts = 200_000;

export const attack: Attack = {
  name: 'message-flood',
  sentence: 'two publishers send empty messages as fast as they can, or 200,000 of them in one',
  refusals: ['rtmp messages'],
  over: 'rtmp',
  run: async ({ rtmpPort, channels }, { from, signal }) => {
    const floods = [emptyMessages(messageType.audio, 1_000_000), wire(manyInOne())];
    await Promise.all(
      floods.map((flood, at) =>
        overAndOver({ signal, forMs, breathMs }, async () => {
          const client = await connectRudely({ port: rtmpPort, from, signal });
          const key = channels[at]?.stream_key ?? '';
          await client.send(rudeSession(connectMessage(), publishMessage(key)));
          await client.send(wire(controlMessage(messageType.windowSize, 1_000_000)));
          await client.send(flood);
          await Promise.race([client.closed, Bun.sleep(1_000)]);
          client.cut();
          await client.closed;
        }),
      ),
    );
  },
};

/** An aggregate of sounds without a body. */
function manyInOne(): OutgoingMessage {
  const body = new Uint8Array(15 * aggregateParts);
  for (let at = 0; at < body.length; at += 15) body[at] = messageType.audio;
  return { type: messageType.aggregate, streamId: 1, timestamp: 0, body: [body] };
}
