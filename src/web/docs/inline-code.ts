// A sentence in which what stands between backticks is code.
import { type Html, html } from '../pages/html.ts';

export function inlineCode(text: string): Html[] {
  return text
    .split('`')
    .map((part, at) => (at % 2 === 0 ? html`${part}` : html`<code>${part}</code>`));
}
