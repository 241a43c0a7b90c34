// What somebody changes of a viewing page: previewed as they type, kept by the browser, saved when they say so.
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { Problem } from './api.ts';
import { useConsole, useTexts } from './console-parts.ts';
import { before, changed, keptChanges, type PageChanges, stillChanged } from './page-draft.ts';
import { problemText } from './problem-text.ts';
import type { Channel, PageSettings, ShownPage } from './service-answers.ts';
import { type Leaving, useLeaving } from './use-leaving.ts';
import { type PreviewKind, usePagePreview, useSavedPage } from './use-page-preview.ts';

export interface PageEditor {
  /** What is public; undefined until it is known. */
  saved: ShownPage | undefined;
  /** What is not saved yet. */
  changes: PageChanges;
  hasChanges: boolean;
  change<K extends keyof PageSettings>(name: K, value: PageSettings[K]): void;
  kind: PreviewKind;
  setKind(kind: PreviewKind): void;
  /** The page as it would be; the last one that could be made. */
  html: string | undefined;
  /** Why it could not be loaded, or why there is no newer preview. */
  problem: Problem | undefined;
  isSaving: boolean;
  save(): Promise<boolean>;
  discard(): void;
  reload(): void;
  /** Somebody is about to leave what they have not saved. */
  leaving: Leaving | undefined;
}

export function usePageEditor(id: number): PageEditor {
  const { toasts } = useConsole();
  const texts = useTexts();
  const { saved, setSaved, problem, reload } = useSavedPage(id);
  const { changes, setChanges } = useKeptChanges(id, saved);
  const [kind, setKind] = useState<PreviewKind>('watch');
  const preview = usePagePreview(id, { changes, kind, isReady: saved !== undefined });
  const { isSaving, put } = useSaving(id, setSaved);
  const hasChanges = Object.keys(changes).length > 0;
  const save = async () => {
    if (!saved || !hasChanges) return true;
    const undone = before(changes, saved);
    if (!(await put(changes))) return false;
    setChanges(() => ({}));
    toasts.done(texts.page.saved, () => put(undone));
    return true;
  };
  const discard = () => {
    const dropped = changes;
    setChanges(() => ({}));
    toasts.done(texts.page.discarded, () => setChanges(() => dropped));
  };
  return {
    saved,
    changes,
    hasChanges,
    change: (name, value) => saved && setChanges((all) => changed(all, saved, [name, value])),
    kind,
    setKind,
    html: preview.html,
    problem: problem ?? preview.problem,
    isSaving,
    save,
    discard,
    reload,
    leaving: useLeaving(hasChanges, save),
  };
}

/** Changes outlive the view, and the browser's end. */
function useKeptChanges(id: number, saved: ShownPage | undefined) {
  const { session } = useConsole();
  const personId = session.me.value?.person?.id ?? 0;
  const kept = useMemo(() => keptChanges(personId, id), [personId, id]);
  const [changes, setChanges] = useState<PageChanges>(() => kept.read());
  useEffect(() => {
    if (saved) setChanges((all) => stillChanged(all, saved));
  }, [saved]);
  return {
    changes,
    // Of what there is then: two pictures may arrive at once.
    setChanges: (next: (all: PageChanges) => PageChanges) =>
      setChanges((all) => {
        const made = next(all);
        kept.keep(made);
        return made;
      }),
  };
}

/** Makes settings public; false where the service refuses them. */
function useSaving(id: number, setSaved: (page: ShownPage) => void) {
  const { api, toasts, answers } = useConsole();
  const texts = useTexts();
  const [isSaving, saving] = useState(false);
  const put = async (fields: PageChanges): Promise<boolean> => {
    saving(true);
    const { value, problem } = await api.put<Channel>(`/v1/activities/${id}/page`, fields);
    saving(false);
    if (!value) {
      toasts.failed(problemText(problem, texts));
      return false;
    }
    setSaved(value.page);
    // Other views show the start, and know it from before.
    answers.clear();
    return true;
  };
  return { isSaving, put };
}
