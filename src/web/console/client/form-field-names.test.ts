// Fields get names that the service takes, each its own, and keep them.
import { expect, test } from 'bun:test';
import { formField } from '../../../library/admission/registration-form-reader.ts';
import { withNames } from './form-field-names.ts';

const kept = { name: 'company', label: 'Firm' };

test.each([
  ['Your name', 'your_name'],
  ['姓名', '姓名'],
  ['2nd phone (mobile)', 'nd_phone_mobile'],
  ['Ваш город', 'ваш_город'],
  ['आपका नाम', 'आपका_नाम'],
  ['???', 'field'],
  ['Company', 'company_2'],
  ['x'.repeat(120), 'x'.repeat(37)],
])('%s is kept as %s', (label, name) => {
  const named = withNames([kept, { name: '', label }]);
  expect(named).toEqual([kept, { name, label }]);
  expect(formField('').read(named)).toMatchObject(named);
});

test('two of one label have names of their own', () => {
  const named = withNames([
    { name: '', label: 'Phone' },
    { name: '', label: 'Phone' },
  ]);
  expect(named.map(({ name }) => name)).toEqual(['phone', 'phone_2']);
});
