// A dialog over the page: the browser's own, so that Escape closes it and the keyboard stays inside.
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { useTexts } from '../console-parts.ts';
import { Button } from './button.tsx';

export function Dialog(props: {
  title: string;
  onClose(): void;
  children: ComponentChildren;
  actions?: ComponentChildren;
}) {
  const texts = useTexts();
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  return (
    <dialog
      ref={dialog}
      class="dialog card"
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        props.onClose();
      }}
    >
      <header class="dialog-head">
        <h2 id={id}>{props.title}</h2>
        <Button kind="quiet" icon="close" label={texts.common.close} onClick={props.onClose} />
      </header>
      {props.children}
      {props.actions && <footer class="dialog-actions">{props.actions}</footer>}
    </dialog>
  );
}
