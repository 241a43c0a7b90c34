// Cutting a clip: asked for once at a time, said when it is there, and undone by deleting it.
import { useState } from 'preact/hooks';
import { filled } from '../../pages/client/page-elements.ts';
import { useConsole, useTexts } from './console-parts.ts';
import { playTime } from './parts/video-facts.ts';
import { problemWithoutForm } from './problem-text.ts';
import type { MadeClip } from './service-answers.ts';

/** What of a show or a video; the fields of the service's operation. */
export type ClipWanted =
  | { last_seconds: number }
  | { show: number; from_ms: number; to_ms: number }
  | { video_id: number; from_ms: number; to_ms: number };

export function useClip(channel: number) {
  const { api, toasts } = useConsole();
  const texts = useTexts();
  const [isBusy, work] = useState(false);
  const remove = async (id: number) => {
    const { problem } = await api.ask('DELETE', `/manage/v1/videos/${id}`);
    if (problem) toasts.failed(problemWithoutForm(problem, texts));
  };
  /** Whether there is one now. */
  const cut = async (wanted: ClipWanted): Promise<boolean> => {
    work(true);
    const path = `/manage/v1/channels/${channel}/clips`;
    const { value, problem } = await api.post<MadeClip>(path, wanted);
    work(false);
    if (!value) {
      toasts.failed(problemWithoutForm(problem, texts));
      return false;
    }
    const length = playTime(Math.round((value.to_ms - value.from_ms) / 1_000));
    toasts.done(filled(texts.videos.clip_made, { length }), () => remove(value.id));
    return true;
  };
  return { cut, isBusy };
}
