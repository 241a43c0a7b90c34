// What somebody changes of a viewing page: previewed as they type, kept by the browser, saved when they say so.
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Language } from '../../pages/page-data.ts';
import type { Problem } from './api.ts';
import { useConsole, useTexts } from './console-parts.ts';
import { before, changed, keptChanges, type PageChanges, stillChanged } from './page-draft.ts';
import { problemText } from './problem-text.ts';
import type { PagePreview, PageSettings, ShownPage } from './service-answers.ts';

export interface PageEditor {
  /** What is public; undefined until it is known. */
  saved: ShownPage | undefined;
  /** What is not saved yet. */
  changes: PageChanges;
  hasChanges: boolean;
  change<K extends keyof PageSettings>(name: K, value: PageSettings[K]): void;
  kind: 'watch' | 'mobile';
  setKind(kind: 'watch' | 'mobile'): void;
  /** The page as it would be; the last one that could be made. */
  html: string | undefined;
  /** Why the last one could not be made. */
  problem: Problem | undefined;
  isSaving: boolean;
  save(): Promise<boolean>;
  discard(): void;
  reload(): void;
  /** Somebody is about to leave what they have not saved. */
  leaving: Leaving | undefined;
}

export interface Leaving {
  save(): void;
  leave(): void;
  stay(): void;
}

/** Whoever types does not want a page for every letter. */
const typingMs = 250;

export function usePageEditor(id: number, language: Language): PageEditor {
  const { api, toasts, network, answers } = useConsole();
  const texts = useTexts();
  const kept = useMemo(() => keptChanges(id), [id]);
  const [saved, setSaved] = useState<ShownPage>();
  const [changes, setChanges] = useState<PageChanges>(() => kept.read());
  const [kind, setKind] = useState<PageEditor['kind']>('watch');
  const [html, setHtml] = useState<string>();
  const [problem, setProblem] = useState<Problem>();
  const [isSaving, saving] = useState(false);
  const [asked, askAgain] = useState(0);
  const round = network.rounds.value;
  const path = `/manage/v1/channels/${id}/page/preview`;
  const hasChanges = Object.keys(changes).length > 0;

  // What is saved, first of all.
  useEffect(() => {
    if (saved) return;
    const leaving = new AbortController();
    const load = async () => {
      const reply = await api.post<PagePreview>(path, {}, { signal: leaving.signal });
      if (reply.problem?.kind === 'left') return;
      setProblem(reply.problem);
      if (!reply.value) return;
      const { page } = reply.value;
      setSaved(page);
      setChanges((all) => stillChanged(all, page));
    };
    load();
    return () => leaving.abort();
  }, [path, asked, round]);

  useEffect(() => {
    if (!saved) return;
    kept.keep(changes);
    const leaving = new AbortController();
    const make = async () => {
      const body = { ...changes, kind, language };
      const reply = await api.post<PagePreview>(path, body, { signal: leaving.signal });
      if (reply.problem?.kind === 'left') return;
      setProblem(reply.problem);
      if (reply.value) setHtml(reply.value.html);
    };
    const timer = setTimeout(make, html === undefined ? 0 : typingMs);
    return () => {
      clearTimeout(timer);
      leaving.abort();
    };
  }, [saved, changes, kind, language, path, round]);

  const put = async (fields: PageChanges): Promise<ShownPage | undefined> => {
    saving(true);
    const reply = await api.put<PagePreview>(`/v1/activities/${id}/page`, fields);
    saving(false);
    setProblem(reply.problem);
    if (!reply.value) {
      toasts.failed(problemText(reply.problem, texts));
      return undefined;
    }
    setSaved(reply.value.page);
    answers.clear();
    return reply.value.page;
  };
  const save = async () => {
    if (!saved || !hasChanges) return true;
    const undone = before(changes, saved);
    const page = await put(changes);
    if (!page) return false;
    setChanges({});
    kept.keep({});
    toasts.done(texts.page.saved, () => put(undone));
    return true;
  };
  const discard = () => {
    const dropped = changes;
    setChanges({});
    toasts.done(texts.page.discarded, () => setChanges(dropped));
  };
  return {
    saved,
    changes,
    hasChanges,
    change: (name, value) => saved && setChanges((all) => changed(all, saved, [name, value])),
    kind,
    setKind,
    html,
    problem,
    isSaving,
    save,
    discard,
    reload: useCallback(() => askAgain((times) => times + 1), []),
    leaving: useLeaving(hasChanges, save),
  };
}

/** Asks whoever leaves with changes that are not saved. */
function useLeaving(hasChanges: boolean, save: () => Promise<boolean>): Leaving | undefined {
  const { router } = useConsole();
  const [answer, ask] = useState<(mayLeave: boolean) => void>();
  const saveNow = useRef(save);
  saveNow.current = save;
  useEffect(() => {
    if (!hasChanges) return;
    return router.guarded(
      () =>
        new Promise((resolve) => {
          ask(() => (mayLeave: boolean) => {
            ask(undefined);
            resolve(mayLeave);
          });
        }),
    );
  }, [hasChanges, router]);
  if (!answer) return undefined;
  return {
    save: async () => answer(await saveNow.current()),
    leave: () => answer(true),
    stay: () => answer(false),
  };
}
