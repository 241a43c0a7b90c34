// The empty page in which the console shows a watch page with settings that are not saved yet.
import { html } from '../pages/html.ts';

/** Its script puts in what the console hands it; until then it is blank. */
export function previewFrame({ script, style }: { script: string; style: string }): string {
  return `<!doctype html>${html`<html lang="en"><head><meta charset="utf-8"><title>Preview</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex">
${style ? html`<link rel="stylesheet" href="${style}">` : ''}${script ? html`<script type="module" src="${script}"></script>` : ''}</head><body></body></html>`}`;
}
