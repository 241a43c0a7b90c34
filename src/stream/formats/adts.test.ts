// The header before each AAC frame of a transport stream.
import { expect, test } from 'bun:test';
import { audioTrackOf } from './aac.ts';
import { configOfAdts, withoutAdts } from './adts.ts';
import { MediaError } from './packet.ts';

/** AAC LC at 44,100 with two channels; 9 bytes of header and 3 of sound. */
const checked = Buffer.from('fff8508001 9ffc beef 212223'.replaceAll(' ', ''), 'hex');
const unchecked = Buffer.from('fff1508001 9ffc 212223'.replaceAll(' ', ''), 'hex');

test('it tells what an AudioSpecificConfig would', () => {
  const { codec, sampleRate, channels } = audioTrackOf(configOfAdts(unchecked));
  expect([codec, sampleRate, channels]).toEqual(['mp4a.40.2', 44_100, 2]);
});

test('it is taken off with its checksum, where it has one', () => {
  expect(Buffer.from(withoutAdts(unchecked)).toString('hex')).toBe('212223');
  expect(Buffer.from(withoutAdts(checked)).toString('hex')).toBe('212223');
});

test('what has none is refused', () => {
  for (const bytes of [
    Buffer.alloc(0),
    Buffer.alloc(20),
    unchecked.subarray(1),
    Buffer.from('fff1'),
  ])
    expect(() => withoutAdts(bytes)).toThrow(MediaError);
});
