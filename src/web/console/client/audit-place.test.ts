// The address of the audit log says what is looked at, and nothing else.
import { expect, test } from 'bun:test';
import { type AuditPlace, readAuditPlace, widened, writeAuditPlace } from './audit-place.ts';

test('what is written is read again', () => {
  const places: AuditPlace[] = [
    {},
    { person: 3 },
    { token: 4, group: 'sign_in', q: 'Ünïc & co' },
    { channel: 12, before: '1777663748000-812' },
  ];
  for (const place of places) expect(readAuditPlace(writeAuditPlace(place))).toEqual(place);
});

test('what is none of it is left out', () => {
  expect(readAuditPlace('?person=x&token=0&group=all&q=&p=3&channel=-1')).toEqual({});
});

test('without a filter it begins anew', () => {
  const place = { person: 3, group: 'chat', before: '1-1' } as const;
  expect(widened(place, 'person')).toEqual({ group: 'chat' });
});
