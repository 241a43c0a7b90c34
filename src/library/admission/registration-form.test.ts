// What may be answered in a form, and how a form is declared.
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { Misread } from '../../base/api/shape.ts';
import { admissionLimits } from './admission-limits.ts';
import {
  type FormField,
  type FormFieldKind,
  formFieldKinds,
  readAnswers,
} from './registration-form.ts';
import { formField } from './registration-form-reader.ts';

const field = (kind: FormFieldKind, more: Partial<FormField> = {}): FormField => ({
  ...{ name: 'asked', label: 'Asked', kind, required: true, choices: [] },
  ...more,
});
const asked = (of: FormField, typed: unknown) => {
  const read = readAnswers([of], { asked: typed });
  return 'problems' in read ? read.problems.get('asked') : read.answers['asked'];
};

describe('an answer', () => {
  const choice = field('choice', { choices: ['Morning', 'Late evening'] });
  test.each<[FormField, unknown, unknown]>([
    [field('text'), ' Li  Wei ', 'Li Wei'],
    [field('text'), '\u202Eevil\u202C', 'evil'],
    [field('text'), ' \u200B ', 'missing'],
    [field('text'), 'x'.repeat(300), 'x'.repeat(300)],
    [field('text'), 'x'.repeat(301), 'long'],
    [field('text'), '=1+1', '=1+1'],
    [field('text'), ['a', 'b'], 'missing'],
    [field('text'), undefined, 'missing'],
    [field('email'), 'li.wei@example.com', 'li.wei@example.com'],
    [field('email'), 'ｌｉ＠ｅｘａｍｐｌｅ．ｃｏｍ', 'li@example.com'],
    [field('email'), '李@例子.中国', '李@例子.中国'],
    ...['li', 'li@', '@example.com', 'a b@example.com', 'li@example', '<b>@x.com', 'a@b@c.com'].map(
      (wrong): [FormField, string, string] => [field('email'), wrong, 'email'],
    ),
    [field('phone'), '+86 138-0000-0000', '+86 138-0000-0000'],
    [field('phone'), '１３８００００００００', '13800000000'],
    [field('phone'), '\u202A+٩٦٦ ٥٠–١٢٣\u202C', '+966 50-123'],
    ...['123', 'call me', '+', '1'.repeat(18), '138x0000'].map(
      (wrong): [FormField, string, string] => [field('phone'), wrong, 'phone'],
    ),
    [field('number'), '-2.5', -2.5],
    [field('number'), '３', 3],
    [field('number'), '۱۲', 12],
    [field('number'), '−٣٫٥', -3.5],
    [field('number'), '2,5', 2.5],
    ...['two', '1e9', '0x10', '1.2.3', '1'.repeat(16), 'Infinity', '-'].map(
      (wrong): [FormField, string, string] => [field('number'), wrong, 'number'],
    ),
    [choice, 'Late evening', 'Late evening'],
    [choice, 'Noon', 'choice'],
    [choice, '', 'missing'],
    [field('tick'), '1', true],
    [field('tick'), undefined, 'missing'],
    [field('tick', { required: false }), undefined, false],
    [field('text', { required: false }), '', undefined],
    [field('email', { required: false }), 'li', 'email'],
  ])('%j %j', (of, typed, wanted) => {
    expect(asked(of, typed)).toEqual(wanted as string);
  });

  test('is of a field that is asked, whatever else is sent', () => {
    const form = [field('text', { name: 'constructor', required: false }), field('text')];
    const read = readAnswers(form, { asked: 'a', more: 'b', __proto__: { constructor: 'c' } });
    expect(read).toEqual({ answers: { asked: 'a' } });
  });

  test('is kept within its bounds, whatever is sent', () => {
    const names = fc.constantFrom('asked', 'other', 'constructor', '__proto__', '1');
    const choices = ['a', 'b'];
    const form = fc.uniqueArray(
      fc
        .record({ name: names, kind: fc.constantFrom(...formFieldKinds), required: fc.boolean() })
        .map((one) => ({ ...one, label: 'x', choices: one.kind === 'choice' ? choices : [] })),
      { selector: ({ name }) => name },
    );
    const typed = fc.dictionary(names, fc.oneof(fc.string({ unit: 'binary' }), fc.anything()));
    fc.assert(
      fc.property(form, typed, (fields, sent) => {
        const read = readAnswers(fields, sent);
        if ('problems' in read) return;
        const kept = JSON.parse(JSON.stringify(read.answers));
        expect(kept).toEqual(read.answers);
        for (const [name, answer] of Object.entries(read.answers)) {
          expect(fields.some((one) => one.name === name)).toBe(true);
          expect(String(answer).length).toBeLessThanOrEqual(admissionLimits.answerCharactersMax);
          expect(String(answer)).not.toMatch(/[\p{Cc}\u202A-\u202E]/u);
        }
      }),
    );
  });

  test('that a careless pattern would judge for hours is none', () => {
    const emails = [`${'a-'.repeat(140)}@`, `x@${'a.'.repeat(140)}`, `x@${'a-'.repeat(140)}`];
    for (const typed of [...emails, `${'1 '.repeat(148)}x`, '('.repeat(299)])
      for (const kind of ['email', 'phone', 'number'] as const)
        expect(asked(field(kind), typed)).toBe(kind);
  });
});

describe('a form', () => {
  const { read } = formField('');
  const one = { name: 'company', label: 'Company' };
  const choices = ['Morning', 'Evening'];

  test('is taken as it is declared, with what is usual where nothing is said', () => {
    const form = [
      { ...one, kind: 'choice', required: '1', choices: [' Morning ', 'Evening'] },
      { name: '姓名', label: ' Your\u0000\u200Bname '.replace('\u0000', '') },
    ];
    expect(read(form)).toEqual([
      { ...one, kind: 'choice', required: true, choices },
      { name: '姓名', label: 'Yourname', kind: 'text', required: false, choices: [] },
    ]);
  });

  test('is taken or refused, whatever is sent, and what was taken is taken again as it is', () => {
    fc.assert(
      fc.property(fc.anything(), fc.array(fc.anything()), (came, list) => {
        for (const sent of [came, list, [{ ...one, ...Object(came) }]]) {
          const form = read(sent);
          if (!(form instanceof Misread)) expect(read(form)).toEqual(form);
        }
      }),
    );
  });

  test.each<[string, unknown]>([
    ['no list', 'company'],
    ['empty', []],
    ['no field', ['company']],
    ['null', [null]],
    ['without a label', [{ name: 'company' }]],
    ['a label that nobody sees', [{ ...one, label: '\u200B' }]],
    ['a name that is a number', [{ ...one, name: '1' }]],
    ['a name with spaces', [{ ...one, name: 'my company' }]],
    ['a name of objects', [{ ...one, name: '__proto__' }]],
    ['a kind that is none', [{ ...one, kind: 'file' }]],
    ['a name twice', [one, one]],
    ['no choices', [{ ...one, kind: 'choice' }]],
    ['one choice', [{ ...one, kind: 'choice', choices: ['a'] }]],
    ['a choice twice', [{ ...one, kind: 'choice', choices: ['a', 'a '] }]],
    ['choices where nothing is chosen', [{ ...one, choices }]],
    ['too many', Array.from({ length: 21 }, (_, at) => ({ ...one, name: `a${at}` }))],
    ['too long a label', [{ ...one, label: 'x'.repeat(121) }]],
    [
      'too many choices',
      [
        {
          ...one,
          kind: 'choice',
          choices: Array.from({ length: admissionLimits.choicesMax + 1 }, String),
        },
      ],
    ],
  ])('is refused: %s', (_, came) => {
    expect(read(came)).toBeInstanceOf(Misread);
  });
});
