// A button that chooses one file, and a place that takes one that is dropped onto it.
import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { Button } from './button.tsx';
import type { ConsoleIconName } from './console-icon.tsx';

interface TakesFile {
  onFile(file: File): void;
}

export function FileButton(
  props: TakesFile & {
    children: ComponentChildren;
    label?: string;
    icon?: ConsoleIconName;
    /** As the browser's own dialog narrows by it. */
    accept: string;
    isBusy?: boolean;
    kind?: 'usual' | 'quiet';
  },
) {
  const { onFile, accept, children, ...button } = props;
  const chooser = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button {...button} isSmall onClick={() => chooser.current?.click()}>
        {children}
      </Button>
      <input
        ref={chooser}
        type="file"
        hidden
        accept={accept}
        onChange={(event) => {
          const [file] = event.currentTarget.files ?? [];
          if (file) onFile(file);
          // The same file may be chosen again.
          event.currentTarget.value = '';
        }}
      />
    </>
  );
}

export function FileDrop(props: TakesFile & { class: string; children: ComponentChildren }) {
  const [isOver, over] = useState(false);
  const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is a second way; the button is the first
    <div
      class={props.class}
      data-over={isOver}
      onDragOver={(event) => {
        if (!hasFiles(event)) return;
        event.preventDefault();
        over(true);
      }}
      onDragLeave={() => over(false)}
      onDrop={(event) => {
        over(false);
        if (!hasFiles(event)) return;
        event.preventDefault();
        const [file] = event.dataTransfer?.files ?? [];
        if (file) props.onFile(file);
      }}
    >
      {props.children}
    </div>
  );
}
