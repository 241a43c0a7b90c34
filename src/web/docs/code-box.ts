// A piece of code with a button that copies it.
import { type Html, html } from '../pages/html.ts';
import type { Language } from './request-examples.ts';

export function codeBox(
  text: string,
  {
    label,
    language,
  }: {
    label: string;
    /** Shown where readers have chosen it; always where it has none. */
    language?: Language;
  },
): Html {
  const only = language ? html` data-language="${language}"` : '';
  // A box that scrolls must be reached by the keyboard.
  return html`<div class="code"${only}><button type="button" class="copy" aria-label="Copy: ${label}">Copy</button><pre tabindex="0" role="group" aria-label="${label}"><code>${text}</code></pre></div>`;
}
