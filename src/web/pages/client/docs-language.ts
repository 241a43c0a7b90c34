// Which language examples are shown in: chosen once, kept for the next page.
import { keptText } from './kept-text.ts';

export function startLanguages(): void {
  const kept = keptText('browser', 'footlight-docs-language');
  const buttons = [...document.querySelectorAll<HTMLButtonElement>('.code-tabs button')];
  const choose = (language: string) => {
    document.documentElement.dataset['code'] = language;
    for (const button of buttons)
      button.ariaPressed = String(button.dataset['language'] === language);
  };
  const last = kept.read();
  if (buttons.some((button) => button.dataset['language'] === last) && last) choose(last);
  for (const button of buttons)
    button.addEventListener('click', () => {
      const { language = '' } = button.dataset;
      // Examples above it may be of another height: what was clicked stays where it is.
      const before = button.getBoundingClientRect().top;
      choose(language);
      window.scrollBy(0, button.getBoundingClientRect().top - before);
      kept.keep(language);
    });
}
