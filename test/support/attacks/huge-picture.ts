// A push whose parameters say 8192x8192 with 16 reference frames: gigabytes for whoever decodes it.
import { testClip } from '../clip-push.ts';
import { forgedRecord, sequenceHeader } from '../forged-record.ts';
import { pushInLoop, secondOf } from '../rude/push-loop.ts';
import type { Attack } from './attack.ts';

const huge = { columns: 512, rows: 512, referenceFrames: 16 };
/** The same, with all but a corner cropped off. */
const cropped = { ...huge, cropRight: 3_776, cropBottom: 3_916 };

export const attack: Attack = {
  name: 'huge-picture',
  sentence: 'videos whose pictures take 1.8 GB to decode, one of them cropped to 640x360',
  refusals: ['job picture'],
  over: 'rtmp',
  run: async ({ rtmpPort: port, channels }, { from, signal }) => {
    const key = channels[1]?.stream_key ?? '';
    for (const picture of [huge, cropped]) {
      const [, ...shown] = secondOf(testClip().tags);
      const body = sequenceHeader(forgedRecord(picture));
      const tags = [{ type: 'video' as const, timestampMs: 0, body }, ...shown];
      await pushInLoop({ port, key, from, signal, tags, pushes: 1 });
    }
  },
};
