// One connection begins a push, sends a second of media, ends it and begins the next, 300 times.
import { testClip } from '../clip-push.ts';
import { pushInLoop, secondOf } from '../rude/push-loop.ts';
import type { Attack } from './attack.ts';

const pushesMax = 300;
const lastsMs = 10_000;
const returnMs = 200;

export const attack: Attack = {
  name: 'publish-loop',
  sentence: 'a publisher ends its push after a second of media and begins the next, 300 times',
  refusals: ['push often'],
  over: 'rtmp',
  run: async ({ rtmpPort: port, channels }, { from, signal }) => {
    const key = channels[0]?.stream_key ?? '';
    const tags = secondOf(testClip().tags);
    const until = performance.now() + lastsMs;
    for (let left = pushesMax; left > 0 && performance.now() < until && !signal.aborted; ) {
      const { begun } = await pushInLoop({ port, key, from, signal, tags, pushes: left });
      left -= Math.max(1, begun);
      await Bun.sleep(returnMs);
    }
  },
};
