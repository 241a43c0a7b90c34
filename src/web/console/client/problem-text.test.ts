// What a person is told where something was refused.
import { describe, expect, test } from 'bun:test';
import { newPasswordField } from '../../../library/people/person-fields.ts';
import type { Problem } from './api.ts';
import { fieldsProblem } from './field-check.ts';
import { fieldProblem, jobProblemText, problemText, problemWithoutForm } from './problem-text.ts';
import { consoleTexts } from './texts/console-texts.ts';

const { en, zh } = consoleTexts;
const refused: Problem = {
  kind: 'refused',
  status: 400,
  code: 400001,
  message: 'Invalid parameters',
  fields: [],
  retrySeconds: 0,
};
const name = { name: 'name', message: 'name must be text of 1 to 255 characters (got "")' };
const notAllowed = { status: 403, code: 403002 };

test.each<[string, Partial<Problem>, string]>([
  ['nobody answers', { kind: 'away', status: 0 }, en.problem.away],
  ['a field is wrong', { fields: [name] }, en.problem.fields],
  [
    'it was too often',
    { status: 429, retrySeconds: 7 },
    'That was too often. Please wait 7 seconds.',
  ],
  [
    'it was too often for nobody knows how long',
    { status: 429 },
    'That was too often. Please wait 1 seconds.',
  ],
  [
    'there is much to do',
    { status: 503, code: 503001, message: 'The database is busy; try again' },
    en.refused.codes.unavailable,
  ],
  [
    'it is our mistake',
    { status: 500, code: 500002, message: 'Internal error' },
    en.refused.codes.internal,
  ],
  [
    'the service has a sentence',
    { ...notAllowed, message: 'It has its 3 channels' },
    'It has its 3 channels',
  ],
  ['it has the one of its code', { ...notAllowed, message: '' }, en.refused.codes.noPermission],
  [
    'something is gone, whose number nobody knows',
    { status: 404, code: 404002, message: 'No channel 7' },
    en.refused.codes.noChannel,
  ],
  ['a proxy forbids it', { status: 403, code: 0, message: '' }, en.problem.forbidden],
  ['a proxy finds nobody', { status: 502, code: 0, message: '' }, en.problem.busy],
  ['a proxy says something else', { status: 418, code: 0, message: '' }, en.problem.internal],
])('where %s', (_, problem, text) => {
  expect(problemText({ ...refused, ...problem }, en)).toBe(text);
});

describe('in Chinese', () => {
  test('what the service names is in the sentence', () => {
    const message = 'An account may have 50 tokens: revoke those that nobody uses';
    expect(problemText({ ...refused, ...notAllowed, message }, zh)).toBe(
      '一个账户最多 50 个令牌，请先吊销不用的令牌。',
    );
  });

  test('words that are not known stand behind the sentence of the code', () => {
    const problem = { ...refused, ...notAllowed, message: 'It has its 3 channels' };
    expect(problemText(problem, zh)).toEqual({
      text: zh.refused.codes.noPermission,
      english: 'It has its 3 channels',
    });
  });

  test('what somebody typed is no sentence of the service', () => {
    const message = 'user_name "An account may have 5 people" is taken';
    const problem = { ...refused, fields: [{ name: 'user_name', message }] };
    expect(problemWithoutForm(problem, zh)).toBe(
      '"An account may have 5 people" 已被使用，请换一个。',
    );
  });

  test('a file that was not made says why', () => {
    expect(jobProblemText('it took more than 512 MB: JOB_MEMORY', zh)).toBe(
      '处理需要超过 512 MB 内存（JOB_MEMORY），请联系管理服务器的人。',
    );
    expect(jobProblemText('Something new', zh)).toEqual({
      text: zh.refused.job_other,
      english: 'Something new',
    });
    expect(jobProblemText('Something new', en)).toBe('Something new');
  });
});

describe('a field', () => {
  const problem = { ...refused, fields: [name] };

  test('is told what is wrong with it, without its name in the interface', () => {
    expect(fieldProblem(problem, 'name', en)).toBe('Must be text of 1 to 255 characters');
    expect(fieldProblem(problem, 'name', zh)).toBe('请填写 1 到 255 个字符。');
  });

  test('of which something unknown is said has that behind a Chinese sentence', () => {
    const unknown = { name: 'name', message: 'name must rhyme (got "x")' };
    expect(fieldProblem({ ...refused, fields: [unknown] }, 'name', zh)).toEqual({
      text: zh.refused.field_other,
      english: 'Must rhyme',
    });
  });

  test('of which nothing was said is right', () => {
    expect(fieldProblem(problem, 'start_time', en)).toBeUndefined();
    expect(fieldProblem(undefined, 'name', en)).toBeUndefined();
  });

  test('is the answer where no form marks it', () => {
    expect(problemWithoutForm(problem, zh)).toBe('请填写 1 到 255 个字符。');
    expect(problemWithoutForm({ ...refused, fields: [] }, zh)).toBe(zh.refused.codes.invalid);
  });

  test('is told wrong before the service is asked, in the same words', () => {
    const shape = { password: newPasswordField };
    const short = fieldsProblem(shape, { password: 'short' });
    expect(fieldProblem(short, 'password', zh)).toBe('请填写 8 到 200 个字符。');
    expect(fieldsProblem(shape, { password: 'three green lamps' })).toBeUndefined();
  });
});
