// AAC: the configs that encoders send.
import { describe, expect, test } from 'bun:test';
import { audioTrackOf } from './aac.ts';
import { MediaError } from './packet.ts';

describe('a config', () => {
  test.each([
    ['GStreamer 1.22, 44.1 kHz stereo', '1210', 'mp4a.40.2', 44_100, 2, 1024],
    ['OBS 29 and ffmpeg 5.1, with a word on HE-AAC', '119056e500', 'mp4a.40.2', 48_000, 2, 1024],
    ['mono at 22.05 kHz', '1388', 'mp4a.40.2', 22_050, 1, 1024],
    ['5.1', '11b0', 'mp4a.40.2', 48_000, 6, 1024],
    ['7.1', '11b8', 'mp4a.40.2', 48_000, 8, 1024],
    ['96 kHz', '1010', 'mp4a.40.2', 96_000, 2, 1024],
    ['frames of 960', '1214', 'mp4a.40.2', 44_100, 2, 960],
    ['a rate written out', '17805dc010', 'mp4a.40.2', 48_000, 2, 1024],
    ['HE-AAC, 44.1 kHz of a core of 22.05', '2b920800', 'mp4a.40.5', 22_050, 2, 1024],
    ['HE-AAC v2, stereo of a mono core', 'eb8a0800', 'mp4a.40.29', 22_050, 2, 1024],
  ])('%s', (_, hex, codec, sampleRate, channels, frameSamples) => {
    const record = Uint8Array.fromHex(hex);
    expect(audioTrackOf(record)).toEqual({
      kind: 'audio',
      codec,
      record,
      sampleRate,
      channels,
      frameSamples,
    });
  });

  test('tells its channels by their configuration', () => {
    const counts = Array.from({ length: 16 }, (_, configuration) => {
      const record = Uint8Array.of(0x11, 0x80 | (configuration << 3));
      try {
        return audioTrackOf(record).channels;
      } catch {
        return undefined;
      }
    });
    const none = undefined;
    expect(counts).toEqual([none, 1, 2, 3, 4, 5, 6, 8, none, none, none, 7, 8, none, 8, none]);
  });

  test('is kept apart from the message it came in', () => {
    // Of a Buffer, whose slices are views.
    const message = Buffer.from('af001210', 'hex');
    const { record } = audioTrackOf(message.subarray(2));
    message.fill(0);
    expect(record.toHex()).toBe('1210');
  });
});

describe('refused', () => {
  const early = 'The AAC parameters are broken: they end too early';
  const notPlayed = (name: string) =>
    `The sound is ${name}, which browsers cannot play: set the encoder to AAC LC`;
  const channels = (configuration: number) =>
    `The sound's channels (configuration ${configuration}) are not ones browsers play: set the encoder to stereo`;
  const rate = (number: string) =>
    `The sound has ${number} samples a second: set the encoder to 44100 or 48000`;

  test.each([
    ['nothing', '', early],
    ['one byte', '12', early],
    ['a rate cut short', '17805d', early],
    ['HE-AAC cut before its core', '2b92', early],
    ['AAC Main', '0a10', notPlayed('AAC Main')],
    ['AAC LTP', '2210', notPlayed('AAC LTP')],
    ['xHE-AAC', 'f94640', notPlayed('xHE-AAC')],
    ['a type without a name', '4210', notPlayed('MPEG-4 audio of type 8')],
    ['HE-AAC around AAC Main', '2b920400', notPlayed('AAC Main')],
    ['channels that the stream describes', '1200', channels(0)],
    ['channels of no meaning', '1268', channels(13)],
    ['a rate of no meaning', '1690', rate('no known number of')],
    ['a rate of 1', '1780000090', rate('1')],
    ['a rate of 192000', '1781770010', rate('192000')],
    ['more bytes than a config has', '12'.repeat(33), 'The AAC parameters are broken: too long'],
  ])('%s', (_, hex, message) => {
    expect(() => audioTrackOf(Uint8Array.fromHex(hex))).toThrow(new MediaError(message));
  });
});
