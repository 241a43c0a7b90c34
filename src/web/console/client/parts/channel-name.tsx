// The name of a channel, changed where it stands; what was done can be undone.
import { useEffect, useRef, useState } from 'preact/hooks';
import { filled } from '../../../pages/client/page-elements.ts';
import { useConsole, useTexts } from '../console-parts.ts';
import { problemWithoutForm } from '../problem-text.ts';
import type { Channel } from '../service-answers.ts';
import { Button } from './button.tsx';

export function ChannelName(props: { channel: Channel; onRenamed(channel: Channel): void }) {
  const { channel, onRenamed } = props;
  const { channel: texts } = useTexts();
  const [isEdited, edit] = useState(false);
  const head = useRef<HTMLDivElement>(null);
  const rename = useRename(channel, onRenamed);
  const leave = () => {
    edit(false);
    requestAnimationFrame(() => head.current?.querySelector('button')?.focus());
  };
  if (isEdited)
    return (
      <NameForm
        label={texts.rename_field}
        name={channel.name}
        onCancel={leave}
        onName={(name) => {
          leave();
          rename(name);
        }}
      />
    );
  return (
    <div class="channel-name" ref={head}>
      <h1 tabIndex={-1} dir="auto">
        {channel.name}
      </h1>
      <Button kind="quiet" isSmall icon="pen" label={texts.rename} onClick={() => edit(true)} />
    </div>
  );
}

/** Shown at once; where the service refuses, the old name is back. */
function useRename(channel: Channel, onRenamed: (channel: Channel) => void) {
  const { api, toasts } = useConsole();
  const texts = useTexts();
  const put = async (name: string, from: Channel): Promise<boolean> => {
    onRenamed({ ...from, name });
    const { value, problem } = await api.put<Channel>(`/v1/activities/${from.id}`, { name });
    onRenamed(value ?? from);
    if (problem) toasts.failed(problemWithoutForm(problem, texts));
    return value !== undefined;
  };
  return async (name: string) => {
    if (name === '' || name === channel.name) return;
    if (!(await put(name, channel))) return;
    const renamed = { ...channel, name };
    toasts.done(filled(texts.channel.renamed, { name }), () => put(channel.name, renamed));
  };
}

/** A name that is changed where it stands. */
export function NameForm(props: {
  label: string;
  name: string;
  onName(name: string): void;
  onCancel(): void;
}) {
  const { common } = useTexts();
  const [typed, type] = useState(props.name);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.select(), []);
  return (
    <form
      class="name-form"
      onSubmit={(event) => {
        event.preventDefault();
        props.onName(typed.trim());
      }}
    >
      <input
        ref={field}
        class="control"
        type="text"
        aria-label={props.label}
        value={typed}
        maxLength={255}
        dir="auto"
        onInput={(event) => type(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') props.onCancel();
        }}
      />
      <Button kind="main" type="submit" isOff={typed.trim() === ''}>
        {common.save}
      </Button>
      <Button onClick={props.onCancel}>{common.cancel}</Button>
    </form>
  );
}
