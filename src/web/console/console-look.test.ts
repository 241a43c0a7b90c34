// How a person likes the console is read from whatever cookies come.
import { expect, test } from 'bun:test';
import { readLook, writeLook } from './console-look.ts';

const unknown = { scheme: 'system', language: undefined } as const;

test.each([
  [null, unknown],
  ['', unknown],
  ['footlight_look=', unknown],
  ['footlight_look=bright.fr', unknown],
  ['other_footlight_look=dark.zh', unknown],
  ['footlight_look=dark.zh', { scheme: 'dark', language: 'zh' }],
  ['a=1; footlight_look=light.; b=2', { scheme: 'light', language: undefined }],
] as const)('%p', (cookies, look) => {
  expect(readLook(cookies)).toEqual(look);
});

test('what is written is read again', () => {
  const [pair = ''] = writeLook({ scheme: 'dark', language: 'zh' }).split(';');
  expect(readLook(pair)).toEqual({ scheme: 'dark', language: 'zh' });
});
