// A text to hand over: an address, a key, a link, a token; hidden where others may look on.
import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';
import { useTexts } from '../console-parts.ts';
import { Button } from './button.tsx';
import { CopyButton } from './copy-button.tsx';

/** As long whatever it hides. */
const hiddenText = '•'.repeat(28);

export function SecretText(props: {
  name: string;
  text: string;
  hint?: string;
  isHidden?: boolean;
  children?: ComponentChildren;
}) {
  const { common } = useTexts();
  const { name, text, hint, isHidden, children } = props;
  const id = useId();
  const [isShown, show] = useState(!isHidden);
  return (
    <div class="secret">
      <label class="label" for={id}>
        {name}
      </label>
      <div class="with-button">
        <input
          id={id}
          class="control mono"
          type="text"
          readOnly
          autocomplete="off"
          // Not a password: browsers would offer to keep it.
          value={isShown ? text : hiddenText}
          onFocus={(event) => event.currentTarget.select()}
        />
        {isHidden && (
          <Button onClick={() => show(!isShown)}>{isShown ? common.hide : common.show}</Button>
        )}
        <CopyButton text={text} label={`${common.copy}: ${name}`} />
      </div>
      {(hint || children) && (
        <div class="secret-more">
          {hint && <p class="soft small-text">{hint}</p>}
          {children}
        </div>
      )}
    </div>
  );
}
