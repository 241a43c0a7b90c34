// What players are told of a stream, read back from the bytes they get.
import { expect, test } from 'bun:test';
import { audioTrack, videoTrack } from '../../../test/fixtures/media/synthetic.ts';
import { readAmf } from '../formats/amf.ts';
import type { Track } from '../formats/packet.ts';
import { nothingSaid } from '../live/live-stream.ts';
import { metadataMessage } from './rtmp-metadata.ts';

const nothing = nothingSaid;
const { width, height } = videoTrack;
const { sampleRate, channels } = audioTrack;
const picture = { videocodecid: 7, width, height };
const sound = { audiocodecid: 10, audiosamplerate: sampleRate, stereo: channels === 2 };

test.each<[string, Track[], object, object]>([
  ['the tracks', [videoTrack, audioTrack], {}, { ...picture, ...sound }],
  ['sound alone', [audioTrack], { frameRate: 30, videoKbps: 800 }, sound],
  ['a picture alone', [videoTrack], { audioKbps: 160 }, picture],
  [
    'what the encoder says of them',
    [videoTrack, audioTrack],
    { frameRate: 30, videoKbps: 800, audioKbps: 160 },
    { ...picture, ...sound, framerate: 30, videodatarate: 800, audiodatarate: 160 },
  ],
])('%s', (_name, tracks, words, told) => {
  const message = metadataMessage({ tracks, words: { ...nothing, ...words }, timestamp: 5 });
  expect(message).toMatchObject({ kind: 'data', timestamp: 5 });
  const [name, values, ...more] = readAmf(message.body);
  expect<unknown>([name, { ...(values as object) }, more]).toEqual(['onMetaData', told, []]);
});
