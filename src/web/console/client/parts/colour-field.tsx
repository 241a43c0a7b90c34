// A colour as text, in any form the interface takes, with the browser's picker beside it.

import { readColour, writeColour } from '../../../pages/colour.ts';
import { useTexts } from '../console-parts.ts';
import type { Sentence } from '../problem-text.ts';
import { Button } from './button.tsx';
import { Field } from './text-field.tsx';

export function ColourField(props: {
  value: string;
  onChange(value: string): void;
  error: Sentence | undefined;
}) {
  const { page: texts } = useTexts();
  const { value, onChange, error } = props;
  const colour = readColour(value);
  // The picker knows opaque colours alone.
  const picked = colour ? writeColour({ ...colour, alpha: 1 }) : '#ffffff';
  return (
    <Field label={texts.bg_color} hint={texts.bg_color_hint} error={error}>
      {(joined) => (
        <span class="with-button colour">
          <input
            class="swatch"
            type="color"
            aria-label={texts.bg_color_pick}
            value={picked}
            data-empty={value === ''}
            onInput={(event) => onChange(event.currentTarget.value)}
          />
          <input
            {...joined}
            class="control"
            type="text"
            value={value}
            spellcheck={false}
            placeholder="#f4f5f7"
            onInput={(event) => onChange(event.currentTarget.value.trim())}
          />
          {value !== '' && (
            <Button kind="quiet" isSmall onClick={() => onChange('')}>
              {texts.clear}
            </Button>
          )}
        </span>
      )}
    </Field>
  );
}
