// How to go on air: the address and the key for the encoder, and a new key.
import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';
import { useConsole, useTexts } from '../console-parts.ts';
import { problemText } from '../problem-text.ts';
import { publishParts } from '../publish-parts.ts';
import type { Channel } from '../service-answers.ts';
import { Button } from './button.tsx';
import { CopyButton } from './copy-button.tsx';
import { Dialog } from './dialog.tsx';

export function ConnectCard(props: {
  channel: Channel;
  isWaiting: boolean;
  onChanged(channel: Channel): void;
}) {
  const { control: texts } = useTexts();
  const { channel, isWaiting, onChanged } = props;
  const { server, key } = publishParts(channel.rtmp_publish_addr);
  const [isAsked, ask] = useState(false);
  return (
    <section class="card panel connect" aria-label={texts.connect_title}>
      <header class="panel-head">
        <h2>{isWaiting ? texts.connect_title : texts.connect_on}</h2>
        {isWaiting && (
          <p class="waits">
            <span class="dot" />
            {texts.waits}
          </p>
        )}
      </header>
      <p class="soft">{texts.connect}</p>
      <Secret name={texts.server} text={server} />
      <Secret name={texts.key} text={key} hint={texts.key_hint} isHidden>
        <Button isSmall icon="key" onClick={() => ask(true)}>
          {texts.rotate}
        </Button>
      </Secret>
      {isAsked && <RotateDialog id={channel.id} onClose={() => ask(false)} onChanged={onChanged} />}
    </section>
  );
}

/** As long whatever it hides. */
const hiddenText = '•'.repeat(28);

function Secret(props: {
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

/** It cuts whoever is on air and cannot be undone: here one is asked. */
function RotateDialog(props: { id: number; onClose(): void; onChanged(channel: Channel): void }) {
  const { api, toasts } = useConsole();
  const texts = useTexts();
  const { control, common } = texts;
  const [isBusy, busy] = useState(false);
  const rotate = async () => {
    busy(true);
    const path = `/manage/v1/channels/${props.id}/rotate-key`;
    const { value, problem } = await api.post<Channel>(path);
    props.onClose();
    if (value) {
      props.onChanged(value);
      toasts.done(control.rotated);
    } else toasts.failed(problemText(problem, texts));
  };
  return (
    <Dialog
      title={control.rotate_title}
      onClose={props.onClose}
      actions={
        <>
          <Button kind="danger" isBusy={isBusy} onClick={rotate}>
            {control.rotate_submit}
          </Button>
          <Button onClick={props.onClose}>{common.cancel}</Button>
        </>
      }
    >
      <p>{control.rotate_more}</p>
    </Dialog>
  );
}
