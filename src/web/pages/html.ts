// HTML as a template literal in which every text is text.

/** Markup that is safe as it stands. */
export class Html {
  readonly markup: string;
  constructor(markup: string) {
    this.markup = markup;
  }
  toString(): string {
    return this.markup;
  }
}

type Part = string | number | Html | readonly Part[];

export function html(strings: TemplateStringsArray, ...parts: Part[]): Html {
  const shown = (part: Part): string => {
    if (part instanceof Html) return part.markup;
    if (typeof part === 'object') return part.map(shown).join('');
    return escapeHtml(String(part));
  };
  return new Html(strings.reduce((text, string, at) => text + shown(parts[at - 1] ?? '') + string));
}

/** Markup of our own making, put in unchanged. */
export function raw(markup: string): Html {
  return new Html(markup);
}

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}
