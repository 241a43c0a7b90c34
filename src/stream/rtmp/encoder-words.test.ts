// What is heard of an encoder's metadata: the real ones by their own bytes, and what makes no sense.
import { expect, test } from 'bun:test';
import { captures, handshakeBytes } from '../../../test/fixtures/rtmp/replay.ts';
import { readMessages } from '../../../test/support/read-messages.ts';
import { type AmfValue, ecmaArray, writeAmf } from '../formats/amf.ts';
import { nothingSaid } from '../live/live-stream.ts';
import { ChunkReader } from './chunk-reader.ts';
import { encoderName, encoderWords } from './encoder-words.ts';
import { type Message, messageType } from './message.ts';
import { rtmpLimits } from './rtmp-limits.ts';

const nothing = nothingSaid;

test.each([
  [
    'obs29-ended',
    {
      frameRate: 30,
      videoKbps: 1_000,
      audioKbps: 128,
      encoder: 'obs-output module (libobs version 29.0.2.1-1+b1)',
    },
  ],
  [
    'ffmpeg51-ended',
    { frameRate: 30, videoKbps: 1_855.468_75, audioKbps: 125, encoder: 'Lavf59.27.100' },
  ],
  // It says them again every second; the first time it does not know its sound yet.
  [
    'gstreamer122-ended',
    {
      frameRate: 30,
      videoKbps: 500,
      audioKbps: undefined,
      encoder: 'GStreamer 1.22.0 FLV muxer',
    },
  ],
])('%s says its rates and its name', (name, words) => {
  const [first] = dataOf(name).map(encoderWords);
  expect(first).toEqual(words);
});

test.each<[string, AmfValue[], object | undefined]>([
  ['without @setDataFrame', ['onMetaData', { framerate: 25 }], { ...nothing, frameRate: 25 }],
  ['rates that are none', ['onMetaData', { framerate: 0, videodatarate: -1 }], nothing],
  ['rates beyond all reason', ['onMetaData', { framerate: 1e9, audiodatarate: 1e300 }], nothing],
  ['rates that are no numbers', ['onMetaData', { framerate: '30', videodatarate: null }], nothing],
  ['no values', ['@setDataFrame', 'onMetaData'], undefined],
  ['something else', ['onTextData', { framerate: 25 }], undefined],
  ['nothing', [], undefined],
])('%s', (_name, values, words) => {
  expect<unknown>(encoderWords(message(messageType.data, writeAmf(...values)))).toEqual(words);
});

test.each<[string, AmfValue, string | undefined]>([
  ['is cleaned', ' Studio\u202e\n 7 ', 'Studio 7'],
  ['is short', 'x'.repeat(10_000), 'x'.repeat(80)],
  ['is a text', 7, undefined],
  ['may be absent', undefined, undefined],
  ['of nothing is none', ' \u200b', undefined],
])("an encoder's name %s", (_name, value, name) => {
  expect(encoderName(value)).toBe(name as string);
});

test('what cannot be read is passed over', () => {
  expect(encoderWords(message(messageType.data, Uint8Array.of(0x02, 0xff)))).toBeUndefined();
});

test("AMF3's envelope holds the same", () => {
  const body = writeAmf('@setDataFrame', 'onMetaData', ecmaArray({ framerate: 50 }));
  const wrapped = message(messageType.amf3Data, Uint8Array.of(0, ...body));
  expect(encoderWords(wrapped)).toEqual({ ...nothing, frameRate: 50 });
});

function message(type: number, body: Uint8Array): Message {
  return { type, streamId: 1, timestamp: 0, body };
}

/** The data messages of a real session. */
function dataOf(name: string): Message[] {
  const reader = new ChunkReader(rtmpLimits);
  reader.allowMedia();
  const capture = captures.find((one) => one.name === name);
  reader.feed(capture?.bytes.subarray(handshakeBytes) ?? new Uint8Array());
  return readMessages(reader).filter(({ type }) => type === messageType.data);
}
