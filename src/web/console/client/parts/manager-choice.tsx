// Whose something is to be: the account's own, or one manager's.
import { useTexts } from '../console-parts.ts';
import type { Managers } from '../service-answers.ts';
import { useAnswer } from '../use-answer.ts';
import { Field } from './text-field.tsx';

export const managersPath = '/manage/v1/managers';

/** 0: of the account's own side. */
export function ManagerChoice(props: {
  label: string;
  hint: string;
  value: number;
  onChoose(id: number): void;
}) {
  const { account: texts } = useTexts();
  const { value } = useAnswer<Managers>(managersPath);
  return (
    <Field label={props.label} hint={props.hint}>
      {(joined) => (
        <select
          {...joined}
          class="control"
          value={String(props.value)}
          onChange={(event) => props.onChoose(Number(event.currentTarget.value))}
        >
          <option value="0">{texts.own_side}</option>
          {value?.managers.map(({ id, username }) => (
            <option key={id} value={String(id)}>
              {username}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
