// The settings of a channel's viewing page, beside the page that they make; nothing is public until it is saved.
import { useTexts } from '../console-parts.ts';
import { PageForm, PageFormLoading } from '../parts/page-form.tsx';
import { PagePreviewFrame } from '../parts/page-preview-frame.tsx';
import { ProblemState } from '../parts/problem-state.tsx';
import { SaveBar } from '../parts/save-bar.tsx';
import { UnsavedDialog } from '../parts/unsaved-dialog.tsx';
import { usePageEditor } from '../use-page-editor.ts';

export function PageEditorView({ id }: { id: number }) {
  const { page: texts } = useTexts();
  const editor = usePageEditor(id);
  const { saved, problem } = editor;
  if (!saved && problem) return <ProblemState problem={problem} onRetry={editor.reload} />;
  return (
    <div class="page-editor">
      <section class="page-settings" aria-label={texts.title} aria-busy={!saved}>
        {saved ? <PageForm editor={editor} saved={saved} /> : <PageFormLoading />}
        <SaveBar editor={editor} />
      </section>
      <PagePreviewFrame editor={editor} />
      {editor.leaving && <UnsavedDialog leaving={editor.leaving} />}
    </div>
  );
}
