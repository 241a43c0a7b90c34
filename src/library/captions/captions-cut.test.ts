// Captions of a clip: what is said in its stretches, at its place, to the millisecond.
import { expect, test } from 'bun:test';
import { atOnce } from '../../../test/support/pictures.ts';
import { asKept, type CutCaptions, cutCaptions } from './captions-cut.ts';
import { readWebVtt } from './web-vtt.ts';

function captions(language: string, cues: [startMs: number, endMs: number, text: string][]) {
  const written = cues.map(([startMs, endMs, text]) => ({
    ...{ id: '', settings: 'line:0', startMs, endMs },
    lines: [text],
  }));
  const blocks = [['STYLE', `::cue { color: ${language} }`]];
  return { language, label: `in ${language}`, ...atOnce(asKept({ blocks, cues: written })) };
}

const cutTo = (cuts: CutCaptions[]) => atOnce(cutCaptions(cuts));
const textsIn = (text: string) =>
  atOnce(readWebVtt(new TextEncoder().encode(text))).cues.map(({ startMs, endMs, lines }) => [
    startMs,
    endMs,
    lines.join(),
  ]);

test('what lies within moves, what lies over an end is cut, all else goes', () => {
  const whole = captions('en', [
    [0, 1_000, 'before'],
    [500, 2_001, 'over the beginning'],
    [2_000, 2_500, 'within'],
    [2_100, 2_200, 'meanwhile'],
    [3_999, 9_000, 'over the end'],
    [4_000, 5_000, 'behind'],
  ]);
  const [made] = cutTo([{ captions: whole, stretch: { fromMs: 2_000, toMs: 4_000, atMs: 0 } }]);
  expect(made).toMatchObject({ language: 'en', label: 'in en', cues: 4 });
  expect(textsIn(made?.text ?? '')).toEqual([
    [0, 1, 'over the beginning'],
    [0, 500, 'within'],
    [100, 200, 'meanwhile'],
    [1_999, 2_000, 'over the end'],
  ]);
  expect(made?.text).toContain('STYLE\n::cue { color: en }');
  expect(made?.bytes).toBe(made?.text.length as number);
});

test('of two videos one behind the other, in each language that either has', () => {
  const first = { fromMs: 8_000, toMs: 10_000, atMs: 0 };
  const second = { fromMs: 0, toMs: 3_000, atMs: 2_000 };
  const made = cutTo([
    { captions: captions('en', [[9_000, 12_000, 'end of the first']]), stretch: first },
    { captions: captions('de', [[9_500, 9_600, 'nur hier']]), stretch: first },
    { captions: captions('en', [[0, 500, 'the second']]), stretch: second },
    { captions: captions('fr', [[3_000, 4_000, 'après']]), stretch: second },
  ]);
  expect(made.map(({ language }) => language)).toEqual(['en', 'de']);
  expect(textsIn(made[0]?.text ?? '')).toEqual([
    [1_000, 2_000, 'end of the first'],
    [2_000, 2_500, 'the second'],
  ]);
});

test('where nothing is said there is none', () => {
  const whole = captions('en', [[0, 1_000, 'before']]);
  expect(cutTo([{ captions: whole, stretch: { fromMs: 1_000, toMs: 2_000, atMs: 0 } }])).toEqual(
    [],
  );
});
