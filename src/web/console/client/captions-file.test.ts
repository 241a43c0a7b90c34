// Which language a file of captions is in, as its name says it.
import { expect, test } from 'bun:test';
import { captionsBlob, isTooLarge, languageOfFile, usualLabel } from './captions-file.ts';

test.each([
  ['talk.en.vtt', 'en'],
  ['talk_zh-hans.srt', 'zh-Hans'],
  ['The talk - pt_BR.vtt', 'pt-BR'],
  ['talk.vtt', undefined],
  ['the-end.vtt', undefined],
  ['en.vtt', undefined],
])('%s', (name, language) => {
  expect(languageOfFile(name)).toBe(language as string);
});

test('what it is follows from its name, and what viewers see from the language', () => {
  expect(captionsBlob(new File(['a'], 'A.SRT')).type).toBe('application/x-subrip');
  expect(captionsBlob(new File(['a'], 'a.en.vtt', { type: 'text/plain' })).type).toBe('text/vtt');
  expect(['fr', ' zh_hant ', 'x', ''].map(usualLabel)).toEqual(['Français', '繁體中文', '', '']);
  expect([2_000_000, 2_000_001].map((size) => isTooLarge({ size }))).toEqual([false, true]);
});
