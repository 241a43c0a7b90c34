// Asks whoever leaves a view with changes that are not saved.
import { useState } from 'preact/hooks';
import { useTexts } from '../console-parts.ts';
import type { Leaving } from '../use-leaving.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';

export function UnsavedDialog({ leaving }: { leaving: Leaving }) {
  const { page: texts } = useTexts();
  const [isBusy, busy] = useState(false);
  const save = () => {
    busy(true);
    leaving.save();
  };
  return (
    <Dialog
      title={texts.leave_title}
      onClose={leaving.stay}
      actions={
        <>
          <Button kind="main" isBusy={isBusy} onClick={save}>
            {texts.leave_save}
          </Button>
          <Button onClick={leaving.leave}>{texts.leave_keep}</Button>
          <Button kind="quiet" onClick={leaving.stay}>
            {texts.leave_stay}
          </Button>
        </>
      }
    >
      <p>{texts.leave}</p>
    </Dialog>
  );
}
