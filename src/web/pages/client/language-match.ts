// Which of some languages somebody reads best.

/** The first that is liked, as it is or in another form of it; undefined where none is. */
export function languageFor(
  of: readonly { language: string }[],
  liked: readonly string[],
): string | undefined {
  for (const like of liked) {
    const same = of.find(({ language }) => language === like);
    const found = same ?? of.find(({ language }) => baseOf(language) === baseOf(like));
    if (found) return found.language;
  }
  return undefined;
}

/** Of `zh-Hant` it is `zh`. */
function baseOf(language: string): string {
  return language.split('-')[0]?.toLowerCase() ?? '';
}
