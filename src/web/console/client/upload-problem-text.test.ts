// Why an upload became no video is said in the person's language, and never not at all.
import { expect, test } from 'bun:test';
import { consoleTexts } from './texts/console-texts.ts';
import { uploadProblemText } from './upload-problem-text.ts';

const zip = {
  reason: { code: 'archive', found: 'zip' },
  problem: 'This is a ZIP archive: unpack it first, then upload the video',
};
const hevc = {
  reason: { code: 'codec', of: 'picture', found: 'HEVC', wanted: 'H.264' },
  problem: 'The picture is HEVC: save it as H.264',
};

test('in English as the interface says it', () => {
  for (const refused of [zip, hevc])
    expect(uploadProblemText(refused, consoleTexts.en)).toBe(refused.problem);
});

test('in Chinese with every word of it', () => {
  expect(uploadProblemText(zip, consoleTexts.zh)).toBe(
    '这是ZIP 压缩包：请先解压，再上传其中的视频',
  );
  expect(uploadProblemText(hevc, consoleTexts.zh)).toBe('画面编码为 HEVC，请另存为 H.264');
});

test('what is for whoever looks into it is quoted as English', () => {
  const damaged = {
    reason: { code: 'damaged', detail: 'a box moov is cut' },
    problem: 'The file is damaged: a box moov is cut',
  };
  expect(uploadProblemText(damaged, consoleTexts.en)).toBe(damaged.problem);
  expect(uploadProblemText(damaged, consoleTexts.zh)).toEqual({
    text: '文件已损坏：',
    english: 'a box moov is cut',
  });
});

test('a reason that is not known here is said in the words that came', () => {
  const later = { reason: { code: 'constructor' }, problem: 'Something new' };
  expect(uploadProblemText(later, consoleTexts.en)).toBe('Something new');
  expect(uploadProblemText(later, consoleTexts.zh)).toEqual({
    text: '无法成为视频：',
    english: 'Something new',
  });
});
