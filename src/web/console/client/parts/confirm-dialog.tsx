// A question before what cannot be undone: what will happen, a button that says it, and what the service then says.
import type { ComponentChildren } from 'preact';
import type { Reply } from '../api.ts';
import { useTexts } from '../console-parts.ts';
import { useAct } from '../use-act.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';

export function ConfirmDialog<T>(props: {
  title: string;
  submit: string;
  /** Asks the service to do it. */
  ask(): Promise<Reply<T>>;
  /** What is said when it is done. */
  said: string;
  onClose(): void;
  onDone(answer: T): void;
  children: ComponentChildren;
}) {
  const { common } = useTexts();
  const { title, submit, ask, said, onClose, onDone, children } = props;
  const act = useAct();
  const confirm = async () => {
    const answer = await act.run(ask(), said);
    onClose();
    if (answer !== undefined) onDone(answer);
  };
  return (
    <Dialog
      title={title}
      onClose={onClose}
      actions={
        <>
          <Button kind="danger" isBusy={act.isBusy} onClick={confirm}>
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
