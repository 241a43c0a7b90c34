// Every text of both themes can be read, on their own ground and on any colour a channel may choose.
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { themes } from '../../library/channels/page.ts';
import { contrast, shapeContrastMin, textContrastMin } from './colour.ts';
import { type Palette, palettesOf, themeStyle } from './theme.ts';

type Name = Exclude<keyof Palette, 'scheme'>;

const hues = [0, 1, 2, 3, 4, 5, 6, 7].map((hue) => `hue-${hue}` as Name);

/** What is written on what. */
const texts: [ink: Name, ground: Name][] = [
  ['on-page', 'page'],
  ['on-page-soft', 'page'],
  ['on-card', 'card'],
  ['on-card-soft', 'card'],
  ['on-card', 'field'],
  ['on-card-soft', 'field'],
  ['on-accent', 'accent'],
  ['on-live', 'live'],
  ['wrong', 'card'],
  ...hues.map((hue): [Name, Name] => [hue, 'card']),
];

/** What must be seen, but not read: edges of fields, rings of focus. */
const shapes: [Name, Name][] = [
  ['field-line', 'field'],
  ['field-line', 'card'],
  ['accent', 'card'],
  ['on-page', 'page'],
];

function unreadable({ light, dark }: { light: Palette; dark: Palette }): string[] {
  return [light, dark].flatMap((palette) => [
    ...below(palette, texts, textContrastMin),
    ...below(palette, shapes, shapeContrastMin),
  ]);
}

function below(palette: Palette, pairs: [Name, Name][], least: number): string[] {
  return pairs
    .map(([ink, ground]) => ({ ink, ground, ratio: contrast(palette[ink], palette[ground]) }))
    .filter(({ ratio }) => ratio < least)
    .map(({ ink, ground, ratio }) => `${palette.scheme}: ${ink} on ${ground} ${ratio.toFixed(2)}`);
}

describe.each([...themes])('%s', (theme) => {
  test('its own colours can be read', () => {
    expect(unreadable(palettesOf(theme, ''))).toEqual([]);
  });

  test('text can be read on any background, however transparent', () => {
    const level = fc.integer({ min: 0, max: 255 });
    const alpha = fc.integer({ min: 0, max: 100 }).map((hundredths) => hundredths / 100);
    fc.assert(
      fc.property(level, level, level, alpha, (red, green, blue, opacity) => {
        const written = `rgba(${red},${green},${blue},${opacity})`;
        expect(unreadable(palettesOf(theme, written))).toEqual([]);
      }),
      { numRuns: 2_000 },
    );
  });

  test.each(['', '#f00', 'rgba(1,2,3,.5)', '}</style><script>', 'red;}*{display:none'])(
    'with the background %p its style is nothing but names and colours',
    (written) => {
      const declaration = String.raw`(?:color-scheme:(?:light|dark)|--[\w-]+:(?:#[0-9a-f]{6}|rgba\([\d.,]+\)))`;
      const block = String.raw`:root\{${declaration}(?:;${declaration})*\}`;
      expect(themeStyle(theme, written)).toMatch(
        new RegExp(String.raw`^${block}(?:@media \(prefers-color-scheme:dark\)\{${block}\})?$`),
      );
    },
  );
});

test('an opaque background decides for light or dark by itself', () => {
  const { light, dark } = palettesOf('default', '#fff');
  expect(light).toBe(dark);
  expect(light.scheme).toBe('light');
  expect(palettesOf('default', '#123').light.scheme).toBe('dark');
});

test('a transparent one leaves it to the viewer', () => {
  const { light, dark } = palettesOf('default', 'rgba(128,128,255,0.1)');
  expect([light.scheme, dark.scheme]).toEqual(['light', 'dark']);
});

test('the technology edition is dark for everybody', () => {
  expect(themeStyle('tech', '')).not.toContain('prefers-color-scheme');
});
