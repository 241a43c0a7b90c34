// The toasts in the corner: they go by themselves, but not while somebody is at them.
import { useEffect, useState } from 'preact/hooks';
import { useConsole, useTexts } from '../console-parts.ts';
import type { Toast } from '../toasts.ts';
import { Button } from './button.tsx';
import { ConsoleIcon } from './console-icon.tsx';
import { ProblemWords } from './problem-words.tsx';

export function ToastList() {
  const { toasts } = useConsole();
  return (
    <div class="toasts" role="status">
      {toasts.shown.value.map((toast) => (
        <ToastLine key={toast.id} toast={toast} />
      ))}
    </div>
  );
}

/** What can be undone stays longer. */
const shownMs = { done: 4_000, failed: 8_000, undo: 8_000 };

function ToastLine({ toast }: { toast: Toast }) {
  const { toasts } = useConsole();
  const texts = useTexts();
  const [isHeld, hold] = useState(false);
  const { id, text, kind, undo } = toast;
  useEffect(() => {
    if (isHeld) return;
    const timer = setTimeout(() => toasts.dismiss(id), undo ? shownMs.undo : shownMs[kind]);
    return () => clearTimeout(timer);
  }, [isHeld, id, kind, undo, toasts]);
  return (
    <div
      class={`toast ${kind}`}
      onPointerEnter={() => hold(true)}
      onPointerLeave={() => hold(false)}
      onFocusIn={() => hold(true)}
      onFocusOut={() => hold(false)}
    >
      <ConsoleIcon name={kind === 'done' ? 'done' : 'warning'} />
      <span class="toast-text">
        <ProblemWords said={text} />
      </span>
      {undo && (
        <Button
          kind="quiet"
          isSmall
          onClick={() => {
            toasts.dismiss(id);
            undo();
          }}
        >
          {texts.common.undo}
        </Button>
      )}
      <Button
        kind="quiet"
        isSmall
        icon="close"
        label={texts.common.close}
        onClick={() => toasts.dismiss(id)}
      />
    </div>
  );
}
