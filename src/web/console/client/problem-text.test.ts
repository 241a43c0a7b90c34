// What a person is told where something was refused.
import { describe, expect, test } from 'bun:test';
import type { Problem } from './api.ts';
import { fieldProblem, problemText } from './problem-text.ts';
import { consoleTexts } from './texts/console-texts.ts';

const { en } = consoleTexts;
const refused: Problem = {
  kind: 'refused',
  status: 400,
  code: 400001,
  message: 'Invalid parameters',
  fields: [],
  retrySeconds: 0,
};
const name = { name: 'name', message: 'name must be text of 1 to 255 characters (got "")' };

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
  ['there is much to do', { status: 503, message: 'Not available now' }, en.problem.busy],
  ['it is our mistake', { status: 500, message: 'Internal error' }, en.problem.internal],
  [
    'the service has a sentence',
    { status: 403, message: 'It has its 3 channels' },
    'It has its 3 channels',
  ],
  ['it has none', { status: 403, message: '' }, en.problem.forbidden],
  ['a proxy says something else', { status: 418, message: '' }, en.problem.internal],
])('where %s', (_, problem, text) => {
  expect(problemText({ ...refused, ...problem }, en)).toBe(text);
});

describe('a field', () => {
  test('is told what is wrong with it, without its name in the interface', () => {
    const problem = { ...refused, fields: [name] };
    expect(fieldProblem(problem, 'name')).toBe('Must be text of 1 to 255 characters (got "")');
  });

  test('of which nothing was said is right', () => {
    expect(fieldProblem({ ...refused, fields: [name] }, 'start_time')).toBeUndefined();
    expect(fieldProblem(undefined, 'name')).toBeUndefined();
  });
});
