// The fields of a registration form, as whoever runs a channel writes them: added, named, put in order, taken out.
import { useRef } from 'preact/hooks';
import { admissionLimits } from '../../../../library/admission/admission-limits.ts';
import {
  type FormField,
  type FormFieldKind,
  formFieldKinds,
} from '../../../../library/admission/registration-form.ts';
import { filled } from '../../../pages/client/page-elements.ts';
import { useTexts } from '../console-parts.ts';
import type { FormFieldProblem, FormFieldProblems } from '../form-field-problems.ts';
import type { Sentence } from '../problem-text.ts';
import { Button } from './button.tsx';
import { ProblemWords } from './problem-words.tsx';
import { Field, TextField } from './text-field.tsx';

/** As it is written: choices as lines of one text, and what it is told apart by while it has no name. */
export interface WrittenField extends Omit<FormField, 'choices'> {
  key: symbol;
  choices: string;
}

export function writtenFields(form: readonly FormField[]): WrittenField[] {
  const fields = form.map((field) => ({ ...field, choices: field.choices.join('\n') }));
  const begun = { name: '', label: '', kind: 'text', required: true, choices: '' } as const;
  return (fields.length > 0 ? fields : [begun]).map((field) => ({ ...field, key: Symbol() }));
}

export function readWritten(fields: readonly WrittenField[]): FormField[] {
  return fields.map(({ key: _, ...field }) => ({
    ...field,
    choices:
      field.kind === 'choice' ? field.choices.split('\n').filter((line) => line.trim() !== '') : [],
  }));
}

export function AccessFormFields(props: {
  fields: WrittenField[];
  /** What is wrong with one, and with all of them. */
  problems: FormFieldProblems;
  error: Sentence | undefined;
  onChange(fields: WrittenField[]): void;
}) {
  const { fields, problems, error, onChange } = props;
  const { access: words } = useTexts();
  const list = useRef<HTMLOListElement>(null);
  const change = (at: number, to: Partial<WrittenField>) =>
    onChange(fields.map((field, index) => (index === at ? { ...field, ...to } : field)));
  const up = (at: number) =>
    onChange(
      fields.with(at - 1, fields[at] as WrittenField).with(at, fields[at - 1] as WrittenField),
    );
  const add = () => {
    onChange([...fields, ...writtenFields([])]);
    requestAnimationFrame(() =>
      list.current?.querySelector<HTMLElement>('li:last-child input')?.focus(),
    );
  };
  return (
    <fieldset class="form-fields">
      <legend class="label">{words.fields}</legend>
      <p class="soft small-text">
        {filled(words.fields_hint, { count: admissionLimits.formFieldsMax })}
      </p>
      <ol ref={list}>
        {fields.map((field, at) => (
          <li key={field.key} aria-label={filled(words.field_number, { number: at + 1 })}>
            <OneField field={field} problem={problems.get(at)} onChange={(to) => change(at, to)} />
            <div class="field-actions">
              <Button
                kind="quiet"
                isSmall
                icon="up"
                label={filled(words.field_up, { number: at + 1 })}
                isOff={at === 0}
                onClick={() => up(at)}
              />
              <Button
                kind="quiet"
                isSmall
                icon="trash"
                label={filled(words.field_remove, { number: at + 1 })}
                isOff={fields.length === 1}
                onClick={() => onChange(fields.filter((_, index) => index !== at))}
              />
            </div>
          </li>
        ))}
      </ol>
      {error && (
        <p class="field-error" role="alert">
          <ProblemWords said={error} />
        </p>
      )}
      <Button
        icon="plus"
        isSmall
        isOff={fields.length >= admissionLimits.formFieldsMax}
        onClick={add}
      >
        {words.field_add}
      </Button>
    </fieldset>
  );
}

function OneField(props: {
  field: WrittenField;
  problem: FormFieldProblem | undefined;
  onChange(to: Partial<WrittenField>): void;
}) {
  const { field, problem, onChange } = props;
  const { access: words } = useTexts();
  return (
    <div class="form-field">
      <TextField
        label={words.field_label}
        value={field.label}
        maxLength={admissionLimits.fieldLabelCharactersMax}
        error={problem === 'label' ? words.field_label_needed : undefined}
        onInput={(label) => onChange({ label })}
      />
      <Field label={words.field_kind}>
        {(joined) => (
          <select
            {...joined}
            class="control"
            value={field.kind}
            onChange={(event) => onChange({ kind: event.currentTarget.value as FormFieldKind })}
          >
            {formFieldKinds.map((kind) => (
              <option key={kind} value={kind}>
                {words.field_kinds[kind]}
              </option>
            ))}
          </select>
        )}
      </Field>
      {field.kind === 'choice' && (
        <Field
          label={words.field_choices}
          hint={filled(words.field_choices_hint, { count: admissionLimits.choicesMax })}
          error={problem === 'choices' ? words.field_choices_needed : undefined}
        >
          {(joined) => (
            <textarea
              {...joined}
              class="control"
              rows={4}
              value={field.choices}
              onInput={(event) => onChange({ choices: event.currentTarget.value })}
            />
          )}
        </Field>
      )}
      <label class="check">
        <input
          type="checkbox"
          checked={field.required}
          onChange={(event) => onChange({ required: event.currentTarget.checked })}
        />
        <span>{field.kind === 'tick' ? words.field_ticked : words.field_required}</span>
      </label>
    </div>
  );
}
