// A field with its name, a hint and what is wrong with it, joined for those who hear the page.
import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';
import { useTexts } from '../console-parts.ts';
import type { Sentence } from '../problem-text.ts';
import { Button } from './button.tsx';
import { ProblemWords } from './problem-words.tsx';

interface FieldProps {
  label: string;
  hint?: string | undefined;
  error?: Sentence | undefined;
  children(joined: Joined): ComponentChildren;
}

/** What the control itself carries. */
interface Joined {
  id: string;
  'aria-describedby': string | undefined;
  'aria-invalid': 'true' | undefined;
}

/** The frame of any control. */
export function Field({ label, hint, error, children }: FieldProps) {
  const id = useId();
  const described = error ? `${id}-error` : hint ? `${id}-hint` : undefined;
  return (
    <div class="field" data-wrong={error ? 'true' : undefined}>
      <label for={id}>{label}</label>
      {children({ id, 'aria-describedby': described, 'aria-invalid': error ? 'true' : undefined })}
      {error ? (
        <p class="field-error" id={`${id}-error`}>
          <ProblemWords said={error} />
        </p>
      ) : (
        hint && (
          <p class="field-hint" id={`${id}-hint`}>
            {hint}
          </p>
        )
      )}
    </div>
  );
}

interface TextFieldProps {
  label: string;
  value: string;
  onInput(value: string): void;
  hint?: string | undefined;
  error?: Sentence | undefined;
  type?: 'text' | 'url' | 'date' | 'datetime-local';
  name?: string;
  autocomplete?: string;
  maxLength?: number;
  isRequired?: boolean;
  isFocused?: boolean;
  placeholder?: string;
}

export function TextField(props: TextFieldProps) {
  const { label, value, onInput, hint, error, type = 'text', name, maxLength } = props;
  return (
    <Field label={label} hint={hint} error={error}>
      {(joined) => (
        <input
          {...joined}
          class="control"
          {...oneType(type)}
          name={name}
          value={value}
          maxLength={maxLength}
          autocomplete={props.autocomplete ?? 'off'}
          required={props.isRequired}
          placeholder={props.placeholder}
          spellcheck={false}
          autocapitalize="none"
          autofocus={props.isFocused}
          onInput={(event) => onInput(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

/** A password, which one may look at. */
export function PasswordField(
  props: Pick<TextFieldProps, 'label' | 'value' | 'onInput' | 'hint' | 'error'> & {
    isNew: boolean;
  },
) {
  const { label, value, onInput, hint, error, isNew } = props;
  const texts = useTexts();
  const [isShown, show] = useState(false);
  return (
    <Field label={label} hint={hint} error={error}>
      {(joined) => (
        <span class="with-button">
          <input
            {...joined}
            class="control"
            {...oneType(isShown ? 'text' : 'password')}
            name="password"
            value={value}
            autocomplete={isNew ? 'new-password' : 'current-password'}
            required
            spellcheck={false}
            autocapitalize="none"
            onInput={(event) => onInput(event.currentTarget.value)}
          />
          <Button kind="quiet" isSmall onClick={() => show(!isShown)}>
            {isShown ? texts.common.hide : texts.common.show}
          </Button>
        </span>
      )}
    </Field>
  );
}

/** The types of attributes want to know at once which one it is. */
function oneType(type: string): { type: 'text' } {
  return { type: type as 'text' };
}
