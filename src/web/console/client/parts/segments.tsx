// A choice of a few, side by side: radio buttons that look like one bar.
import { useId } from 'preact/hooks';
import { ConsoleIcon, type ConsoleIconName } from './console-icon.tsx';

export function Segments<T extends string>(props: {
  label: string;
  value: T;
  choices: { value: T; text: string; icon?: ConsoleIconName }[];
  onChoose(value: T): void;
  /** The name of the whole is seen, not only heard. */
  hasLabel?: boolean;
}) {
  const id = useId();
  return (
    <fieldset class="segments-field">
      <legend class={props.hasLabel ? 'label' : 'unseen'}>{props.label}</legend>
      <div class="segments">
        {props.choices.map(({ value, text, icon }) => (
          <label key={value} class="segment">
            <input
              type="radio"
              name={id}
              value={value}
              checked={value === props.value}
              onChange={() => props.onChoose(value)}
            />
            <span>
              {icon && <ConsoleIcon name={icon} />}
              {text}
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
