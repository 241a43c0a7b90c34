// A question before what cannot be undone: what will happen, and a button that says it.
import type { ComponentChildren } from 'preact';
import { useTexts } from '../console-parts.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';

export function ConfirmDialog(props: {
  title: string;
  submit: string;
  isBusy: boolean;
  onConfirm(): void;
  onClose(): void;
  children: ComponentChildren;
}) {
  const { common } = useTexts();
  const { title, submit, isBusy, onConfirm, onClose, children } = props;
  return (
    <Dialog
      title={title}
      onClose={onClose}
      actions={
        <>
          <Button kind="danger" isBusy={isBusy} onClick={onConfirm}>
            {submit}
          </Button>
          <Button onClick={onClose}>{common.cancel}</Button>
        </>
      }
    >
      <p>{children}</p>
    </Dialog>
  );
}
