// What an address says of a show's viewers, and that a click and its undoing lead there and back.
import { describe, expect, test } from 'bun:test';
import { isWhole, readShowPlace, toggled, without, writeShowPlace } from './show-filter.ts';

describe('an address', () => {
  test('says what is looked at, and says the same when it is written again', () => {
    const place = { filter: { place: '上海 & Köln', source: 'direct', left: 0 }, at: 125 };
    expect(readShowPlace(writeShowPlace(place))).toEqual(place);
    expect(writeShowPlace({ filter: {}, at: undefined })).toBe('');
  });

  test.each(['?left=-1', '?left=x', '?at=1.5', '?place=', '?other=1', ''])(
    'that makes no sense narrows nothing: %s',
    (query) => {
      expect(readShowPlace(query)).toEqual({ filter: {}, at: undefined });
    },
  );
});

describe('a filter', () => {
  test('is added by a click, replaced by another of its kind, and undone by the same', () => {
    const once = toggled({ device: 'iPhone' }, 'place', 'Oslo');
    expect(once).toEqual({ device: 'iPhone', place: 'Oslo' });
    expect(toggled(once, 'place', 'Rome')).toEqual({ device: 'iPhone', place: 'Rome' });
    expect(toggled(once, 'place', 'Oslo')).toEqual({ device: 'iPhone' });
    expect(toggled({}, 'left', 0)).toEqual({ left: 0 });
  });

  test('is taken away by its chip', () => {
    expect(without({ left: 0, place: 'Oslo' }, 'left')).toEqual({ place: 'Oslo' });
    expect(isWhole(without({ left: 0 }, 'left'))).toBeTrue();
    expect(isWhole({ left: 0 })).toBeFalse();
  });
});
