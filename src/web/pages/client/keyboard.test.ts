// Which key does what, and on what.
import { describe, expect, test } from 'bun:test';
import { actionOf, type KeyTarget } from './keyboard.ts';

const everyKey = [
  ' ',
  '>',
  'k',
  'K',
  'm',
  'f',
  'j',
  'l',
  '0',
  '9',
  'ArrowLeft',
  'ArrowUp',
  'ArrowDown',
];

test.each(['text', 'other'] as const)('on %s no key is the player’s', (target) => {
  expect(everyKey.map((key) => actionOf(key, target)).filter(Boolean)).toEqual([]);
});

describe.each(['player', 'nothing'] as const)('on %s', (target) => {
  test.each([
    [' ', { do: 'toggle' }],
    ['k', { do: 'toggle' }],
    ['K', { do: 'toggle' }],
    ['m', { do: 'mute' }],
    ['f', { do: 'fullscreen' }],
    ['c', { do: 'captions' }],
    ['<', { do: 'speed', by: -1 }],
    ['>', { do: 'speed', by: 1 }],
    ['j', { do: 'skip', by: -10 }],
    ['l', { do: 'skip', by: 10 }],
    ['ArrowLeft', { do: 'skip', by: -5 }],
    ['ArrowRight', { do: 'skip', by: 5 }],
    ['0', { do: 'seek', to: 0 }],
    ['7', { do: 'seek', to: 0.7 }],
  ] as const)('%s is understood', (key, action) => {
    expect(actionOf(key, target)).toEqual(action);
  });

  test.each(['a', 'Enter', 'Tab', 'Escape', 'F5', 'Home', 'Dead', ''])('%s is not', (key) => {
    expect(actionOf(key, target)).toBeUndefined();
  });
});

test('up and down are the volume on the player, and scroll the page elsewhere', () => {
  expect(actionOf('ArrowUp', 'player')).toEqual({ do: 'volume', by: 0.05 });
  expect(actionOf('ArrowDown', 'button')).toEqual({ do: 'volume', by: -0.05 });
  expect(actionOf('ArrowUp', 'nothing')).toBeUndefined();
});

test('a button keeps its space, a slider its arrows', () => {
  const taken = (target: KeyTarget) => everyKey.filter((key) => !actionOf(key, target));
  expect(taken('button')).toEqual([' ']);
  expect(taken('slider')).toEqual(['ArrowLeft', 'ArrowUp', 'ArrowDown']);
});

test('on the bar of a video the arrows go as far as anywhere else', () => {
  const by = (key: string) => actionOf(key, 'seek');
  expect([by('ArrowLeft'), by('ArrowDown')]).toEqual(Array(2).fill({ do: 'skip', by: -5 }));
  expect([by('ArrowRight'), by('ArrowUp')]).toEqual(Array(2).fill({ do: 'skip', by: 5 }));
});
