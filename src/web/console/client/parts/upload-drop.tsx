// A view onto which files can be dropped: they are uploaded to its channel.
import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { useConsole, useTexts } from '../console-parts.ts';

export function UploadDrop({
  channel,
  children,
}: {
  channel: number;
  children: ComponentChildren;
}) {
  const { uploads } = useConsole();
  const { uploads: texts } = useTexts();
  const [isOver, over] = useState(false);
  /** Parts of the view that the file is over: it enters the next before it leaves the last. */
  const depth = useRef(0);
  const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false;
  const move = (event: DragEvent, by: 1 | -1) => {
    if (!hasFiles(event)) return;
    depth.current += by;
    over(depth.current > 0);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is a second way; the button is the first
    <div
      class="upload-drop"
      onDragEnter={(event) => move(event, 1)}
      onDragLeave={(event) => move(event, -1)}
      onDragOver={(event) => {
        if (hasFiles(event)) event.preventDefault();
      }}
      onDrop={(event) => {
        depth.current = 0;
        over(false);
        // What lies over the view may have taken it.
        if (!hasFiles(event) || event.defaultPrevented) return;
        event.preventDefault();
        for (const file of event.dataTransfer?.files ?? []) uploads.send(channel, file);
      }}
    >
      {children}
      {isOver && <p class="upload-over">{texts.drop}</p>}
    </div>
  );
}
