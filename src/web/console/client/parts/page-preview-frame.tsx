// The watch page as the settings make it, in a frame of its own: on a desktop or a phone, in the light or in the dark.
import { useEffect, useRef, useState } from 'preact/hooks';
import { useTexts } from '../console-parts.ts';
import { isMessage, type PreviewMessage, type PreviewReady } from '../preview-message.ts';
import type { PageEditor } from '../use-page-editor.ts';
import { ConsoleIcon } from './console-icon.tsx';
import { Segments } from './segments.tsx';

/** How large the screens are that the page is shown on. */
const screens = {
  watch: { width: 1280, height: 800 },
  mobile: { width: 390, height: 780 },
};

export function PagePreviewFrame({ editor }: { editor: PageEditor }) {
  const { page: texts } = useTexts();
  const [scheme, choose] = useState<PreviewMessage['scheme']>('light');
  const { kind, html, problem, saved } = editor;
  const { frame, isReady } = useFrame(html && { type: 'footlight-preview', html, scheme });
  const { box, scale } = useScale(screens[kind].width);
  const { width, height } = screens[kind];
  const note = problem?.fields.length
    ? texts.preview_wrong
    : saved && problem
      ? texts.preview_failed
      : undefined;
  return (
    <section class="preview" aria-label={texts.preview}>
      <div class="preview-bar">
        <h2>{texts.preview}</h2>
        <Segments
          label={texts.preview_width}
          value={kind}
          choices={[
            { value: 'watch', text: texts.preview_desktop, icon: 'desktop' },
            { value: 'mobile', text: texts.preview_phone, icon: 'phone' },
          ]}
          onChoose={editor.setKind}
        />
        <Segments
          label={texts.preview_scheme}
          value={scheme}
          choices={[
            { value: 'light', text: texts.preview_light, icon: 'sun' },
            { value: 'dark', text: texts.preview_dark, icon: 'moon' },
          ]}
          onChoose={(one) => choose(one)}
        />
      </div>
      <div class="preview-box" data-kind={kind} ref={box}>
        <div
          class="preview-screen"
          style={{ width: `${width * scale}px`, height: `${height * scale}px` }}
        >
          <iframe
            ref={frame}
            title={texts.preview}
            src="/console/preview"
            tabIndex={-1}
            data-ready={isReady && html !== undefined}
            style={{ width: `${width}px`, height: `${height}px`, transform: `scale(${scale})` }}
          />
        </div>
      </div>
      <p class="preview-note soft small-text" role="status">
        {note && (
          <>
            <ConsoleIcon name="warning" />
            {note}
          </>
        )}
      </p>
    </section>
  );
}

/** Tells the frame what to show, from when it is there on. */
function useFrame(message: PreviewMessage | undefined | '') {
  const frame = useRef<HTMLIFrameElement>(null);
  const [isReady, ready] = useState(false);
  useEffect(() => {
    const heard = ({ origin, source, data }: MessageEvent<unknown>) => {
      const isOurs = origin === location.origin && source === frame.current?.contentWindow;
      if (isOurs && isMessage<PreviewReady>(data, 'footlight-preview-ready')) ready(true);
    };
    addEventListener('message', heard);
    return () => removeEventListener('message', heard);
  }, []);
  const { html, scheme } = message || { html: undefined, scheme: undefined };
  useEffect(() => {
    if (isReady && html !== undefined && scheme !== undefined)
      frame.current?.contentWindow?.postMessage(
        { type: 'footlight-preview', html, scheme } satisfies PreviewMessage,
        location.origin,
      );
  }, [isReady, html, scheme]);
  return { frame, isReady };
}

/** A screen as large as there is room for, never larger than it is. */
function useScale(width: number) {
  const box = useRef<HTMLDivElement>(null);
  const [room, measure] = useState(0);
  useEffect(() => {
    if (!box.current) return;
    const watch = new ResizeObserver(([entry]) => measure(entry?.contentRect.width ?? 0));
    watch.observe(box.current);
    return () => watch.disconnect();
  }, []);
  return { box, scale: Math.min(1, room / width) };
}
