// Changes of a viewing page that are not saved yet.
import { describe, expect, test } from 'bun:test';
import { before, changed, keptChanges, readChanges, stillChanged } from './page-draft.ts';
import type { ShownPage } from './service-answers.ts';

const saved: ShownPage = {
  start_time: '',
  logo: '',
  pc_logo: '',
  mobile_logo: '',
  banner: '/banner.png',
  cover_image: '',
  live_img: '',
  footer: 'ours',
  bg_color: '',
  show_qrcode: true,
  public: false,
  theme: 'default',
};

describe('a change', () => {
  test('is kept until it is as it was', () => {
    const once = changed({}, saved, ['footer', 'theirs']);
    expect(once).toEqual({ footer: 'theirs' });
    const twice = changed(once, saved, ['show_qrcode', false]);
    expect(twice).toEqual({ footer: 'theirs', show_qrcode: false });
    expect(changed(twice, saved, ['footer', 'ours'])).toEqual({ show_qrcode: false });
  });

  test('that was saved meanwhile, or of a field that is no more, is dropped', () => {
    const kept = { footer: 'ours', theme: 'tech', colour: 'red' } as Parameters<typeof before>[0];
    expect(stillChanged(kept, saved)).toEqual({ theme: 'tech' });
  });

  test('is undone by what was there before', () => {
    expect(before({ banner: '', theme: 'tech' }, saved)).toEqual({
      banner: '/banner.png',
      theme: 'default',
    });
  });
});

test('changes are of a person and a channel: another person has none of them', () => {
  const kept = new Map<string, string>();
  const storage = {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, text: string) => kept.set(name, text),
  };
  Object.assign(globalThis, { localStorage: storage });
  keptChanges(1, 12).keep({ footer: 'mine' });
  expect(keptChanges(1, 12).read()).toEqual({ footer: 'mine' });
  expect(keptChanges(2, 12).read()).toEqual({});
  expect(keptChanges(11, 2).read()).toEqual({});
  Reflect.deleteProperty(globalThis, 'localStorage');
});

test.each(['', 'no JSON', '[]', 'null', '7'])('what was kept as %p is no change', (text) => {
  expect(readChanges(text)).toEqual({});
});
