// Reads the fields of a registration form as a request declares them.
import { choice, flag, text, textList } from '../../base/api/fields.ts';
import { type Field, Misread } from '../../base/api/shape.ts';
import { visibleText } from '../../base/lib/visible-text.ts';
import { admissionLimits } from './admission-limits.ts';
import { type FormField, formFieldKinds } from './registration-form.ts';

const {
  formFieldsMax: countMax,
  fieldNameCharactersMax,
  fieldLabelCharactersMax,
  choicesMax,
  choiceCharactersMax,
} = admissionLimits;

const parts = {
  name: text('by which answers are kept: letters, digits, `_` and `-`', {
    min: 1,
    max: fieldNameCharactersMax,
    trim: true,
    examples: ['company'],
  }),
  label: text('what stands at the field', {
    min: 1,
    max: fieldLabelCharactersMax,
    trim: true,
    isVisible: true,
    examples: ['Company'],
  }),
  kind: choice('what is answered in it', { of: formFieldKinds, cleared: 'text' }),
  required: flag('whether it must be answered; a `tick` must be ticked', { cleared: false }),
  choices: textList('of `choice`: what may be chosen', {
    countMax: choicesMax,
    max: choiceCharactersMax,
    examples: ['Morning', 'Evening'],
  }),
};

/** A letter first: no name is a number, which objects put before all others, nor `__proto__`. */
const nameText = /^\p{L}[\p{L}\p{M}\p{N}_-]*$/u;

const wanted = {
  form: new Misread(`must be a list of 1 to ${countMax} fields`),
  field: new Misread(
    'must be fields with a name, a label and a kind, each as the documentation has it',
  ),
  name: new Misread('must have names that begin with a letter, and have letters, digits, _ and -'),
  twice: new Misread('must not have a name or a choice twice'),
  choices: new Misread('must have at least two choices where the kind is "choice", else none'),
};

/** In the order in which they are asked. */
export function formField(description: string): Field<FormField[]> {
  const read = (came: unknown): FormField[] | Misread => {
    if (!Array.isArray(came) || came.length === 0 || came.length > countMax) return wanted.form;
    const form: FormField[] = [];
    for (const one of came) {
      const field = readField(one);
      if (field instanceof Misread) return field;
      form.push(field);
    }
    return hasTwice(form.map(({ name }) => name)) ? wanted.twice : form;
  };
  const properties = Object.fromEntries(
    Object.entries(parts).map(([name, { schema }]) => [name, schema]),
  );
  const items = { type: 'object', properties, required: ['name', 'label'] };
  const examples = [
    [
      { name: 'name', label: 'Your name', kind: 'text', required: true },
      { name: 'company', label: 'Company', kind: 'text' },
    ],
  ];
  return {
    read,
    schema: { description, type: 'array', items, minItems: 1, maxItems: countMax, examples },
  };
}

function readField(came: unknown): FormField | Misread {
  if (typeof came !== 'object' || came === null) return wanted.field;
  const given: Partial<Record<string, unknown>> = { ...came };
  const name = parts.name.read(given['name']);
  const label = parts.label.read(given['label']);
  const kind = parts.kind.read(given['kind'] ?? '');
  const required = parts.required.read(given['required'] ?? false);
  const listed = parts.choices.read(given['choices'] ?? []);
  if (typeof name !== 'string' || typeof label !== 'string' || typeof kind !== 'string')
    return wanted.field;
  if (typeof required !== 'boolean' || !Array.isArray(listed)) return wanted.field;
  if (!nameText.test(name)) return wanted.name;
  // As answers are read: what is chosen must be found among them.
  const choices = listed.map((one) => visibleText(one).trim()).filter((one) => one !== '');
  if (hasTwice(choices)) return wanted.twice;
  if (kind === 'choice' ? choices.length < 2 : choices.length > 0) return wanted.choices;
  return { name: name.normalize('NFC'), label, kind, required, choices };
}

function hasTwice(names: readonly string[]): boolean {
  return new Set(names.map((name) => name.normalize('NFC'))).size < names.length;
}
