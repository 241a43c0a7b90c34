// A word over the picture that says what a key or a finger has done, and is gone at once.
import { find } from './page-elements.ts';

export type AnswerPlace = 'left' | 'middle' | 'right';

const shownMs = 900;

/** Not for those who hear the page: they are told otherwise. */
export function showAnswer(text: string, place: AnswerPlace): void {
  const answer = find('answer');
  answer.textContent = text;
  answer.dataset['place'] = place;
  for (const shown of answer.getAnimations()) shown.cancel();
  // It is not seen but for this; the style sheet says how it looks.
  answer.animate([{ opacity: 1 }, { opacity: 1, offset: 0.7 }, { opacity: 0 }], shownMs);
}
