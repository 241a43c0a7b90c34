// A viewing page as it is saved, and as changes that are not saved would make it.
import { useCallback, useEffect, useState } from 'preact/hooks';
import type { Problem } from './api.ts';
import { useConsole } from './console-parts.ts';
import type { PageChanges } from './page-draft.ts';
import type { PagePreview, ShownPage } from './service-answers.ts';

export type PreviewKind = 'watch' | 'mobile';

/** Whoever types does not want a page for every letter. */
const typingMs = 250;

/** The settings that are public; undefined until they are known. */
export function useSavedPage(id: number) {
  const { api, network } = useConsole();
  const [saved, setSaved] = useState<ShownPage>();
  const [problem, failed] = useState<Problem>();
  const [asked, askAgain] = useState(0);
  const round = network.rounds.value;
  const isKnown = saved !== undefined;
  useEffect(() => {
    if (isKnown) return;
    const leaving = new AbortController();
    api.post<PagePreview>(previewPath(id), {}, { signal: leaving.signal }).then((reply) => {
      if (reply.problem?.kind === 'left') return;
      failed(reply.problem);
      setSaved(reply.value?.page);
    });
    return () => leaving.abort();
  }, [id, asked, round, isKnown, api]);
  return {
    saved,
    setSaved,
    problem,
    reload: useCallback(() => askAgain((times) => times + 1), []),
  };
}

/** The page as the changes make it: the last one that could be made, and why there is no newer one. */
export function usePagePreview(
  id: number,
  { changes, kind, isReady }: { changes: PageChanges; kind: PreviewKind; isReady: boolean },
) {
  const { api, network, look } = useConsole();
  const [html, setHtml] = useState<string>();
  const [problem, failed] = useState<Problem>();
  const round = network.rounds.value;
  const language = look.language.value;
  const waitMs = html === undefined ? 0 : typingMs;
  useEffect(() => {
    if (!isReady) return;
    const leaving = new AbortController();
    const make = async () => {
      const body = { ...changes, kind, language };
      const reply = await api.post<PagePreview>(previewPath(id), body, { signal: leaving.signal });
      if (reply.problem?.kind === 'left') return;
      failed(reply.problem);
      if (reply.value) setHtml(reply.value.html);
    };
    const timer = setTimeout(make, waitMs);
    return () => {
      clearTimeout(timer);
      leaving.abort();
    };
  }, [id, changes, kind, language, round, isReady, api]);
  return { html, problem };
}

function previewPath(id: number): string {
  return `/manage/v1/channels/${id}/page/preview`;
}
