// What pages read of a storyboard: that of the service, and those of others.
import { expect, test } from 'bun:test';
import { storyboardOf, storyboardText } from '../../../stream/recording/storyboard.ts';
import { cuesIn } from './small-pictures.ts';

const address = 'https://live.example.com/recordings/3/storyboard.vtt?token=x';

test('each picture of a storyboard of ours is found, from the first second to the last', () => {
  const text = storyboardText(storyboardOf(43_200), { width: 192, height: 108 });
  const cues = cuesIn(text, address);
  expect(cues).toHaveLength(400);
  expect(cues[0]).toEqual({
    from: 0,
    to: 108,
    address: 'https://live.example.com/recordings/3/storyboard0.jpg?token=x',
    x: 0,
    y: 0,
    width: 192,
    height: 108,
  });
  expect(cues.every(({ from }, at) => from === (cues[at - 1]?.to ?? 0))).toBe(true);
  expect(cues.at(-1)).toMatchObject({ to: 43_200, x: 1_728, y: 972 });
});

test.each(['', 'WEBVTT\n', 'WEBVTT\n\n00:01.000 --> 00:02.000\nsome words\n', '<html>'])(
  'nothing is found in %p',
  (text) => expect(cuesIn(text, address)).toEqual([]),
);
