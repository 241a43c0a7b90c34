// The ways to upload a video: a button that asks for a file, and where it is not known, for the channel.
import { useRef, useState } from 'preact/hooks';
import { useConsole, useTexts } from '../console-parts.ts';
import { Button } from './button.tsx';
import { ChannelChoice } from './channel-choice.tsx';
import { Dialog } from './dialog.tsx';

/** By what they call themselves; what is in them is found out by the service. */
const accepted = 'video/*,.mp4,.m4v,.mov,.mkv,.webm,.ts,.mts,.m2ts';

/** `channel` undefined: of the account, so one is asked for. */
export function UploadBegin({ channel }: { channel: number | undefined }) {
  const { uploads: texts } = useTexts();
  const [isAsked, ask] = useState(false);
  const chooser = useFiles();
  return (
    <>
      <Button
        kind="main"
        icon="upload"
        onClick={() => (channel === undefined ? ask(true) : chooser.open(channel))}
      >
        {texts.begin}
      </Button>
      {chooser.field}
      {isAsked && <ChannelDialog onClose={() => ask(false)} />}
    </>
  );
}

function ChannelDialog({ onClose }: { onClose(): void }) {
  const { uploads: texts, common } = useTexts();
  const [channel, choose] = useState<number>();
  const chooser = useFiles(onClose);
  return (
    <Dialog
      title={texts.choose_channel}
      onClose={onClose}
      actions={
        <>
          <Button
            kind="main"
            isOff={channel === undefined}
            onClick={() => channel !== undefined && chooser.open(channel)}
          >
            {texts.choose_file}
          </Button>
          <Button onClick={onClose}>{common.cancel}</Button>
        </>
      }
    >
      <ChannelChoice hint={texts.choose_channel_hint} value={channel} onChoose={choose} />
      {chooser.field}
    </Dialog>
  );
}

/** The browser's own window for files; several may be chosen. */
function useFiles(onChosen?: () => void) {
  const { uploads } = useConsole();
  const { uploads: texts } = useTexts();
  const field = useRef<HTMLInputElement>(null);
  const channel = useRef(0);
  return {
    open: (id: number) => {
      channel.current = id;
      field.current?.click();
    },
    field: (
      <input
        ref={field}
        type="file"
        hidden
        multiple
        accept={accepted}
        aria-label={texts.begin_more}
        onChange={(event) => {
          const { files } = event.currentTarget;
          for (const file of files ?? []) uploads.send(channel.current, file);
          // The same file may be chosen again.
          event.currentTarget.value = '';
          onChosen?.();
        }}
      />
    ),
  };
}
