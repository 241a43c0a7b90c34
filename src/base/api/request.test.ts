import { expect, test } from 'bun:test';
import { ApiError } from './errors.ts';
import { queryOf, rawParameter } from './request.ts';

test.each<[string, string, string | null]>([
  ['/a', 'x', null],
  ['/a?', 'x', null],
  ['/a?x=1', 'x', '1'],
  ['/a?xx=1&x=2', 'x', '2'],
  ['/a?x=1&x=2', 'x', '1'],
  ['/a?y=1&x', 'x', ''],
  ['/a?x&y=1', 'x', ''],
  ['/a?x=&y=1', 'x', ''],
  ['/a?y=x=3', 'x', null],
  ['/x=1?y=x', 'x', null],
  ['/a?x=b=c', 'x', 'b=c'],
  ['/a?x=%31', 'x', '%31'],
  ['/a?&&x=4&', 'x', '4'],
  ['http://host/hls/p/live.m3u8?_HLS_msn=17&_HLS_part=3', '_HLS_part', '3'],
])('in %p the parameter %p is %p', (address, name, value) => {
  expect(rawParameter(address, name)).toBe(value);
});

test('a query of more parameters than anybody needs is refused before it is read', () => {
  const query = (count: number) => Array.from({ length: count }, (_, n) => `a${n}=1`).join('&');
  expect(Object.keys(queryOf(`/v1/activities?${query(100)}`))).toHaveLength(100);
  expect(() => queryOf(`/v1/activities?${query(101)}`)).toThrow(ApiError);
});
