// Muting and banning a viewer, and letting them again: said, and undone by its counterpart.
import { filled } from '../../pages/client/page-elements.ts';
import { useConsole, useTexts } from './console-parts.ts';
import { problemText } from './problem-text.ts';
import type { ConsoleTexts } from './texts/console-texts.ts';

export type SilenceKind = 'mute' | 'ban';

interface Silenced {
  /** Channel id. */
  id: number;
  viewer_id: string;
  nick: string;
  onChanged(): void;
}

export function useSilence({ id, viewer_id, nick, onChanged }: Silenced) {
  const { api, toasts } = useConsole();
  const texts = useTexts();
  const said = silenceTexts(texts.chat);
  const tell = async (
    word: SilenceKind | 'lift',
    kind: SilenceKind,
    isUndo = false,
  ): Promise<void> => {
    const body = { viewer_id, ...(word === 'lift' && { kind }) };
    const { problem } = await api.post(`/manage/v1/channels/${id}/chat/${word}`, body);
    if (problem) return toasts.failed(problemText(problem, texts));
    onChanged();
    if (isUndo) return;
    const sentence = word === 'lift' ? said.lifted[kind] : said.done[kind];
    const back = word === 'lift' ? kind : 'lift';
    toasts.done(filled(sentence, { nick: nick || texts.control.guest }), () => {
      tell(back, kind, true);
    });
  };
  return tell;
}

/** Who may write again is not said to be let in: a ban may still be there. */
export function silenceTexts({ muted, banned, unmuted, unbanned }: ConsoleTexts['chat']) {
  return {
    done: { mute: muted, ban: banned },
    lifted: { mute: unmuted, ban: unbanned },
  };
}
