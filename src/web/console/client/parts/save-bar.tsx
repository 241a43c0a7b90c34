// Whether everything is saved, and the buttons that save or discard: always in sight.
import { useTexts } from '../console-parts.ts';
import type { PageEditor } from '../use-page-editor.ts';
import { Button } from './button.tsx';

export function SaveBar({ editor }: { editor: PageEditor }) {
  const { page: texts } = useTexts();
  const { hasChanges, isSaving } = editor;
  return (
    <div class="save-bar" data-changed={hasChanges}>
      <p role="status">{hasChanges ? texts.unsaved : texts.all_saved}</p>
      <Button kind="quiet" isOff={!hasChanges} onClick={editor.discard}>
        {texts.discard}
      </Button>
      <Button kind="main" isOff={!hasChanges} isBusy={isSaving} onClick={() => editor.save()}>
        {isSaving ? texts.saving : texts.save}
      </Button>
    </div>
  );
}
