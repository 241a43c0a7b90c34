// The captions of a video as the console changes them: another file sent, removed, and what is wrong with a file.
import { useState } from 'preact/hooks';
import { captionsLimits } from '../../../library/captions/captions-limits.ts';
import { filled } from '../../pages/client/page-elements.ts';
import type { Problem } from './api.ts';
import { captionsBlob, isTooLarge } from './captions-file.ts';
import { useConsole, useTexts, useTimes } from './console-parts.ts';
import { sizeText } from './parts/video-facts.ts';
import { problemWithoutForm, type Sentence } from './problem-text.ts';
import type { Captions, CaptionsList } from './service-answers.ts';

/** How captions are asked for: a language by its tag, and what viewers choose it by. */
export type NamedCaptions = Pick<Captions, 'language' | 'label'>;

export interface CaptionsChanges {
  /** What is wrong with the last file, with the line of it; or why something was not done. */
  problem: Sentence | undefined;
  /** What was done last, and how it is undone: a dialog lies over the words that stand at the foot of a page. */
  done: { text: string; undo?: (() => Promise<void>) | undefined } | undefined;
  /** Whether it can be sent at all. */
  check(file: File): boolean;
  /** Why it was not taken; undefined where it was. */
  send(file: File, as: NamedCaptions, said: string): Promise<Problem | undefined>;
  remove(captions: Captions): Promise<void>;
}

const nothing = { problem: undefined, done: undefined };

function failed(problem: Sentence) {
  return { ...nothing, problem };
}

/** `path`: of the captions of a video. */
export function useCaptions(path: string, onChanged: () => void): CaptionsChanges {
  const { api } = useConsole();
  const texts = useTexts();
  const { captions: words } = texts;
  const times = useTimes();
  const [{ problem, done }, tell] = useState<Pick<CaptionsChanges, 'problem' | 'done'>>(nothing);
  const put = async (file: Blob, { language, label }: NamedCaptions) => {
    const query = new URLSearchParams({ label });
    return await api.upload<Captions>(`${pathOf(path, language)}?${query}`, file, {
      method: 'PUT',
      signal: new AbortController().signal,
      onProgress: () => {},
    });
  };
  return {
    problem,
    done,
    check: (file) => {
      const size = sizeText(file.size, times);
      const most = sizeText(captionsLimits.bytesMax, times);
      tell(isTooLarge(file) ? failed(filled(words.too_large, { size, most })) : nothing);
      return !isTooLarge(file);
    },
    send: async (file, as, said) => {
      const { value, problem: refused } = await put(captionsBlob(file), as);
      // What is wrong with a field stands at the field.
      const isOfField = refused !== undefined && refused.fields.length > 0;
      if (value) tell({ ...nothing, done: { text: filled(said, { label: value.label }) } });
      else tell(isOfField ? nothing : failed(problemWithoutForm(refused, texts)));
      if (value) onChanged();
      return refused;
    },
    remove: async (captions) => {
      const { language, label } = captions;
      // To have it back where that was a mistake.
      const { value: text } = await api.text(pathOf(path, language));
      const { problem: refused } = await api.remove<CaptionsList>(pathOf(path, language));
      onChanged();
      const undo = async () => {
        const { problem: lost } = await put(new Blob([text ?? ''], { type: 'text/vtt' }), captions);
        tell(lost ? failed(problemWithoutForm(lost, texts)) : nothing);
        onChanged();
      };
      const removed = { text: filled(words.removed, { label }), undo: text ? undo : undefined };
      tell(refused ? failed(problemWithoutForm(refused, texts)) : { ...nothing, done: removed });
    },
  };
}

export function pathOf(path: string, language: string): string {
  return `${path}/${encodeURIComponent(language.trim())}`;
}
