// Names of the fields of a registration form, made of what stands at them: people write labels, answers are kept by names.
import { admissionLimits } from '../../../library/admission/admission-limits.ts';

/** As somebody writes a form; a new field has no name yet. */
interface Labelled {
  name: string;
  label: string;
}

const { fieldNameCharactersMax } = admissionLimits;
/** Behind a name that is taken, as `_20`. */
const numberCharactersMax = 3;

/** The same fields, each with a name of its own; who has one keeps it, whatever stands at the field now. */
export function withNames<Field extends Labelled>(fields: readonly Field[]): Field[] {
  const taken = new Set(fields.map(({ name }) => name));
  return fields.map((field) => {
    if (field.name !== '') return field;
    const name = free(nameOf(field.label), taken);
    taken.add(name);
    return { ...field, name };
  });
}

/** A letter, then letters, digits and underscores. */
function nameOf(label: string): string {
  const text = label
    .normalize('NFC')
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, '_')
    .replace(/^[^\p{L}]+|_+$/gu, '');
  const short = [...text].slice(0, fieldNameCharactersMax - numberCharactersMax).join('');
  return short === '' ? 'field' : short;
}

function free(name: string, taken: ReadonlySet<string>): string {
  for (let at = 1; ; at += 1) {
    const tried = at === 1 ? name : `${name}_${at}`;
    if (!taken.has(tried)) return tried;
  }
}
