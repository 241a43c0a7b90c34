// A function of text that remembers its latest answers.

/**
 * For functions whose answer depends on their argument alone. At most `answersMax` answers are kept;
 * then the one that was made first leaves.
 */
export function remembered<Answer>(
  answersMax: number,
  make: (text: string) => Answer,
): (text: string) => Answer {
  const answers = new Map<string, Answer>();
  return (text) => {
    const known = answers.get(text);
    if (known !== undefined) return known;
    const made = make(text);
    if (answers.size >= answersMax) {
      const [oldest] = answers.keys();
      if (oldest !== undefined) answers.delete(oldest);
    }
    answers.set(text, made);
    return made;
  };
}
