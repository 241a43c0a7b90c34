// How to go on air: the address and the key for the encoder, and a new key.
import { useState } from 'preact/hooks';
import { useConsole, useTexts } from '../console-parts.ts';
import { problemWithoutForm } from '../problem-text.ts';
import { publishParts } from '../publish-parts.ts';
import type { Channel } from '../service-answers.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { SecretText } from './secret-text.tsx';

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
      <SecretText name={texts.server} text={server} />
      <SecretText name={texts.key} text={key} hint={texts.key_hint} isHidden>
        <Button isSmall icon="key" onClick={() => ask(true)}>
          {texts.rotate}
        </Button>
      </SecretText>
      {isAsked && <RotateDialog id={channel.id} onClose={() => ask(false)} onChanged={onChanged} />}
    </section>
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
    } else toasts.failed(problemWithoutForm(problem, texts));
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
