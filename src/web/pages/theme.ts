// The two themes: their colours, and what a channel's own background makes of them.
import type { themes } from '../../library/channels/page.ts';
import {
  type Colour,
  contrast,
  mixed,
  over,
  readColour,
  textContrastMin,
  writeColour,
} from './colour.ts';

export type ThemeName = (typeof themes)[number];

/** Each colour the style sheets use, by the name they use: `--card` and so on. `on-x` is text on `x`. */
export interface Palette {
  scheme: 'light' | 'dark';
  page: Colour;
  'on-page': Colour;
  'on-page-soft': Colour;
  'page-line': Colour;
  card: Colour;
  'on-card': Colour;
  'on-card-soft': Colour;
  'card-line': Colour;
  field: Colour;
  'field-line': Colour;
  accent: Colour;
  'on-accent': Colour;
  live: Colour;
  'on-live': Colour;
  /** What is wrong, on a card: words, and the edge of a field. */
  wrong: Colour;
  /** Of the authors in the chat, on a card. */
  'hue-0': Colour;
  'hue-1': Colour;
  'hue-2': Colour;
  'hue-3': Colour;
  'hue-4': Colour;
  'hue-5': Colour;
  'hue-6': Colour;
  'hue-7': Colour;
}

/** The style that stands in the page itself: the only one that holds a channel's colour. */
export function themeStyle(theme: ThemeName, bgColor: string): string {
  const { light, dark } = palettesOf(theme, bgColor);
  const usual = `:root{${declarations(light)}}`;
  return light === dark
    ? usual
    : `${usual}@media (prefers-color-scheme:dark){:root{${declarations(dark)}}}`;
}

/** The calm theme for a page on which people choose: `data-scheme` is `light`, `dark`, or anything else for the browser's. */
export function chosenSchemeStyle(): string {
  const light = declarations(calmLight);
  const dark = declarations(calmDark);
  return `:root{${light}}@media (prefers-color-scheme:dark){:root:not([data-scheme=light]){${dark}}}:root[data-scheme=dark]{${dark}}`;
}

/** The colours for people who like it light, and for those who like it dark; one for both where the theme has but one. */
export function palettesOf(theme: ThemeName, bgColor: string): { light: Palette; dark: Palette } {
  const ground = readColour(bgColor);
  if (theme === 'tech') {
    const palette = ground ? onGround(tech, ground, { light: tech, dark: tech }) : tech;
    return { light: palette, dark: palette };
  }
  if (!ground) return { light: calmLight, dark: calmDark };
  const calm = { light: calmLight, dark: calmDark };
  const light = onGround(calmLight, ground, calm);
  // An opaque colour is the same whatever lies under it.
  return { light, dark: ground.alpha === 1 ? light : onGround(calmDark, ground, calm) };
}

/** The palette on a page of another colour: cards follow its lightness, and its texts are read on it. */
function onGround(base: Palette, ground: Colour, by: Record<Palette['scheme'], Palette>): Palette {
  const page = over(ground, base.page);
  const ink = contrast(white, page) >= contrast(black, page) ? white : black;
  const scheme = ink === white ? 'dark' : 'light';
  const themed = by[scheme]['on-page'];
  const onPage = contrast(themed, page) >= textContrastMin ? themed : ink;
  return {
    ...by[scheme],
    page,
    'on-page': onPage,
    'on-page-soft': softest(onPage, page),
    'page-line': mixed(page, onPage, 0.2),
  };
}

/** Text that stands back as far as it can still be read. */
function softest(ink: Colour, ground: Colour): Colour {
  for (const share of [0.35, 0.25, 0.15, 0.05]) {
    const soft = mixed(ink, ground, share);
    if (contrast(soft, ground) >= textContrastMin + 0.1) return soft;
  }
  return ink;
}

function declarations({ scheme, ...colours }: Palette): string {
  const lines = Object.entries(colours).map(([name, colour]) => `--${name}:${writeColour(colour)}`);
  return [`color-scheme:${scheme}`, ...lines].join(';');
}

const white: Colour = { red: 255, green: 255, blue: 255, alpha: 1 };
const black: Colour = { red: 0, green: 0, blue: 0, alpha: 1 };

const calmLight = palette('light', {
  page: '#f4f5f7',
  'on-page': '#16181d',
  'on-page-soft': '#565c68',
  'page-line': '#d9dce2',
  card: '#ffffff',
  'on-card': '#16181d',
  'on-card-soft': '#5b616e',
  'card-line': '#e3e6eb',
  field: '#f4f5f7',
  'field-line': '#858c99',
  accent: '#2457d6',
  'on-accent': '#ffffff',
  live: '#c8182f',
  'on-live': '#ffffff',
  wrong: '#b3261e',
  'hue-0': '#2457d6',
  'hue-1': '#a3310f',
  'hue-2': '#0f6b3c',
  'hue-3': '#8a2a8f',
  'hue-4': '#7a5400',
  'hue-5': '#006a7a',
  'hue-6': '#b01657',
  'hue-7': '#5a45b5',
});

const calmDark = palette('dark', {
  page: '#111318',
  'on-page': '#f0f2f5',
  'on-page-soft': '#a6adba',
  'page-line': '#2b2f38',
  card: '#1a1d24',
  'on-card': '#f0f2f5',
  'on-card-soft': '#a3aab8',
  'card-line': '#2b2f38',
  field: '#111318',
  'field-line': '#6d7585',
  accent: '#8db0ff',
  'on-accent': '#0b1430',
  live: '#d0213a',
  'on-live': '#ffffff',
  wrong: '#ff9a8f',
  'hue-0': '#8db0ff',
  'hue-1': '#ff9f7a',
  'hue-2': '#6fd79d',
  'hue-3': '#e69bea',
  'hue-4': '#e3b95c',
  'hue-5': '#5fd0e0',
  'hue-6': '#ff8fb8',
  'hue-7': '#b5a6ff',
});

const tech = palette('dark', {
  page: '#050b16',
  'on-page': '#e4f4fb',
  'on-page-soft': '#8fb0c4',
  'page-line': '#123048',
  card: '#0a1626',
  'on-card': '#e4f4fb',
  'on-card-soft': '#8fb0c4',
  'card-line': '#15405a',
  field: '#050b16',
  'field-line': '#3f7d9b',
  accent: '#22d3ee',
  'on-accent': '#04131c',
  live: '#22d3ee',
  'on-live': '#04131c',
  wrong: '#ff9a8f',
  'hue-0': '#22d3ee',
  'hue-1': '#ffa56b',
  'hue-2': '#5eead4',
  'hue-3': '#e79bff',
  'hue-4': '#facc5c',
  'hue-5': '#86c5ff',
  'hue-6': '#ff8fb8',
  'hue-7': '#b5a6ff',
});

function palette(
  scheme: Palette['scheme'],
  written: Record<Exclude<keyof Palette, 'scheme'>, `#${string}`>,
): Palette {
  const colours = Object.entries(written).map(([name, text]) => [name, readColour(text) ?? black]);
  return { scheme, ...(Object.fromEntries(colours) as Omit<Palette, 'scheme'>) };
}
