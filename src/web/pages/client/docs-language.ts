// Which language examples are shown in: chosen once, kept for the next page.
import { keptText } from './kept-text.ts';

export interface Languages {
  /** Buttons of another page say what was chosen. */
  show(): void;
}

export function startLanguages(): Languages {
  const kept = keptText('browser', 'footlight-docs-language');
  const { dataset } = document.documentElement;
  const buttons = () => document.querySelectorAll<HTMLButtonElement>('.code-tabs button');
  const show = () => {
    for (const button of buttons())
      button.ariaPressed = String(button.dataset['language'] === dataset['code']);
  };
  const last = kept.read();
  if (last !== undefined && /^(?:typescript|python)$/.test(last)) {
    dataset['code'] = last;
    show();
  }
  document.addEventListener('click', ({ target }) => {
    const button =
      target instanceof Element ? target.closest<HTMLButtonElement>('.code-tabs button') : null;
    const language = button?.dataset['language'];
    if (!button || language === undefined) return;
    // Examples above it may be of another height: what was clicked stays where it is.
    const before = button.getBoundingClientRect().top;
    dataset['code'] = language;
    show();
    scrollBy(0, button.getBoundingClientRect().top - before);
    kept.keep(language);
  });
  return { show };
}
