// What the form says it lacks is what the service would refuse.
import { expect, test } from 'bun:test';
import { formField } from '../../../library/admission/registration-form-reader.ts';
import { formFieldProblems } from './form-field-problems.ts';

const field = { name: 'a', label: 'Your name', kind: 'text', required: true, choices: [] } as const;
const choice = { ...field, kind: 'choice' } as const;

test.each([
  [field, undefined],
  [{ ...field, label: ' ' }, 'label'],
  [{ ...choice, choices: [] }, 'choices'],
  [{ ...choice, choices: ['Small', ' '] }, 'choices'],
  [{ ...choice, choices: ['Small', 'Small '] }, 'choices'],
  [{ ...choice, choices: ['Café', 'Cafe\u0301'] }, 'choices'],
  [{ ...choice, choices: ['Small', 'Large'] }, undefined],
  [{ ...choice, label: '', choices: ['Small'] }, 'label'],
] as const)('%j lacks %p', (given, lacks) => {
  const one = { ...given, choices: [...given.choices] };
  expect(
    formFieldProblems([field, one].map((each) => ({ ...each, choices: [...each.choices] }))).get(1),
  ).toBe(lacks as never);
  expect(Array.isArray(formField('').read([one]))).toBe(lacks === undefined);
});
