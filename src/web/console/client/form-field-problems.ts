// What a registration form still lacks before the service would take it: said at the field, not of the whole form.
import type { FormField } from '../../../library/admission/registration-form.ts';

export type FormFieldProblem = 'label' | 'choices';

/** By the place of the field. */
export type FormFieldProblems = ReadonlyMap<number, FormFieldProblem>;

export function formFieldProblems(
  fields: readonly Pick<FormField, 'label' | 'kind' | 'choices'>[],
): FormFieldProblems {
  return new Map(
    fields.flatMap((field, at) => {
      const problem = problemOf(field);
      return problem ? [[at, problem] as const] : [];
    }),
  );
}

function problemOf({
  label,
  kind,
  choices,
}: Pick<FormField, 'label' | 'kind' | 'choices'>): FormFieldProblem | undefined {
  if (label.trim() === '') return 'label';
  const named = choices.map((one) => one.trim().normalize('NFC')).filter((one) => one !== '');
  const isChoice = named.length > 1 && new Set(named).size === named.length;
  return kind === 'choice' && !isChoice ? 'choices' : undefined;
}
