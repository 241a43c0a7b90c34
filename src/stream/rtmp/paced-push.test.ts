import { expect, test } from 'bun:test';
import type { FlvTag } from '../formats/flv-file.ts';
import { clipOf, pushClip } from './paced-push.ts';
import type { RtmpPublisher } from './rtmp-client.ts';

function tag(type: FlvTag['type'], timestampMs: number, ...body: number[]): FlvTag {
  return { type, timestampMs, body: Uint8Array.from(body) };
}

/** What a publisher is given of so many tags of a clip that is pushed over and over. */
async function pushed(tags: readonly FlvTag[], count: number): Promise<string[]> {
  const sent: string[] = [];
  const ending = new AbortController();
  const publisher = {
    closed: new Promise<string>(() => {}),
    waitingBytes: 0,
    drained: async () => {},
    end: async () => {},
    send({ type, body }: FlvTag) {
      sent.push(`${type} ${[...body].join()}`);
      if (sent.length === count) ending.abort();
    },
  } satisfies Partial<RtmpPublisher>;
  const options = { loop: true, signal: ending.signal };
  await pushClip(publisher as unknown as RtmpPublisher, clipOf(tags), options);
  return sent;
}

test('parameters are sent once, and again only where they have changed', async () => {
  const same = [tag('script', 0, 2), tag('video', 0, 0x17, 0, 1), tag('audio', 0, 0xaf, 0, 1)];
  const media = [tag('video', 0, 0x17, 1, 5), tag('audio', 1, 0xaf, 1, 6)];
  expect(await pushed([...same, ...media], 9)).toEqual([
    ...['script 2', 'video 23,0,1', 'audio 175,0,1', 'video 23,1,5', 'audio 175,1,6'],
    ...['video 23,1,5', 'audio 175,1,6', 'video 23,1,5', 'audio 175,1,6'],
  ]);
  const changed = tag('video', 1, 0x17, 0, 2);
  expect(await pushed([same[1] ?? changed, changed], 4)).toEqual([
    ...['video 23,0,1', 'video 23,0,2', 'video 23,0,1', 'video 23,0,2'],
  ]);
});

test('what only looks like parameters is sent each time: silence of PCM, pictures of H.263', async () => {
  const others = [tag('audio', 0, 0x3e, 0, 0), tag('video', 1, 0x22, 0, 0)];
  expect(await pushed(others, 4)).toEqual([
    ...['audio 62,0,0', 'video 34,0,0', 'audio 62,0,0', 'video 34,0,0'],
  ]);
});
