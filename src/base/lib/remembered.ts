// A function of text that remembers its latest answers.
import { RecentMap } from './recent-map.ts';

/**
 * For functions whose answer depends on their argument alone. At most `answersMax` answers are kept;
 * then the one that was made first leaves: to note what is asked for again would cost every known answer.
 */
export function remembered<Answer>(
  answersMax: number,
  make: (text: string) => Answer,
): (text: string) => Answer {
  const answers = new RecentMap<string, Answer>({ max: answersMax });
  return (text) => {
    const known = answers.peek(text);
    if (known !== undefined) return known;
    const made = make(text);
    answers.set(text, made);
    return made;
  };
}
