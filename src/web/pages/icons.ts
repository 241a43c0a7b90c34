// The icons of the player, drawn in one colour on a square of 24.
import { type Html, html } from './html.ts';

const paths = {
  play: 'M7 4.5v15a1 1 0 0 0 1.5.86l12.5-7.5a1 1 0 0 0 0-1.72L8.5 3.64A1 1 0 0 0 7 4.5z',
  pause: 'M6 4h4.2v16H6zM13.8 4H18v16h-4.2z',
  sound:
    'M3 9v6h4l5 4.5v-15L7 9zM15 8.2v7.6a4.5 4.5 0 0 0 0-7.6zM15 4.4v2.1a6.6 6.6 0 0 1 0 11v2.1a8.6 8.6 0 0 0 0-15.2z',
  silent:
    'M3 9v6h4l5 4.5v-15L7 9zM15.4 8l2.6 2.6L20.6 8 22 9.4 19.4 12l2.6 2.6-1.4 1.4-2.6-2.6-2.6 2.6-1.4-1.4 2.6-2.6L14 9.4z',
  captions:
    'M5 4h14a2 2 0 0 1 2 2v12a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2V6a2 2 0 0 1 2-2zm0 2v12h14V6zm2 6.2h4V14H7zm6 0h4V14h-4zM7 15h6v1.8H7zm8 0h2v1.8h-2z',
  captionsOn:
    'M5 4h14a2 2 0 0 1 2 2v12a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2V6a2 2 0 0 1 2-2zm2 8.2V14h4v-1.8zm6 0V14h4v-1.8zM7 15v1.8h6V15zm8 0v1.8h2V15z',
  pip: 'M3 5h18v14H3zm2 2v10h14V7zm6 4h7v5h-7z',
  pipOut: 'M3 5h18v14H3zm2 2v10h14V7zm1 1h6v4.5H6z',
  cast: 'M3 5h18v14h-6v-2h4V7H5v2H3zm0 6.2A7.8 7.8 0 0 1 10.8 19h-2A5.8 5.8 0 0 0 3 13.2zm0 4.3A3.5 3.5 0 0 1 6.5 19H3z',
  large: 'M4 9V4h5v2H6v3zM15 4h5v5h-2V6h-3zM4 15h2v3h3v2H4zM18 15h2v5h-5v-2h3z',
  small: 'M7 4h2v5H4V7h3zM15 4h2v3h3v2h-5zM4 15h5v5H7v-3H4zM15 15h5v2h-3v3h-2z',
  share:
    'M17 15.5a3 3 0 0 0-2.2 1L9.3 13.3a3 3 0 0 0 0-2.6l5.5-3.2a3 3 0 1 0-.9-1.7L8.2 9.1a3 3 0 1 0 0 5.8l5.7 3.3a3 3 0 1 0 3.1-2.7z',
  close:
    'M6.4 5 12 10.6 17.6 5 19 6.4 13.4 12l5.6 5.6-1.4 1.4-5.6-5.6L6.4 19 5 17.6l5.6-5.6L5 6.4z',
  send: 'M3 4.2v6.3l10 1.5-10 1.5v6.3a.8.8 0 0 0 1.1.7l17.4-7.8a.8.8 0 0 0 0-1.4L4.1 3.5a.8.8 0 0 0-1.1.7z',
  pin: 'M8.5 3h7v2h-1v4.6l3 3.4v2h-4.5V21h-2v-6H6.5v-2l3-3.4V5h-1z',
  people:
    'M9 11.5a3.7 3.7 0 1 0 0-7.4 3.7 3.7 0 0 0 0 7.4zM2 19.5v-1.3C2 15.3 5 13.5 9 13.5s7 1.8 7 4.7v1.3zM16.2 11.3a3.3 3.3 0 0 0 .7-6.4 5.6 5.6 0 0 1-.7 6.4zM18 19.5v-1.3c0-1.6-.6-3-1.7-4 3.3.3 5.7 1.9 5.7 4.3v1z',
} as const;

export type IconName = keyof typeof paths;

/** Decoration: what it means stands in the name of its button. */
export function icon(name: IconName, state: '' | 'on' | 'off' = ''): Html {
  return html`<svg class="icon${state && ` when-${state}`}" viewBox="0 0 24 24" aria-hidden="true"><path fill="currentColor" fill-rule="evenodd" d="${paths[name]}"/></svg>`;
}

/** A button with two looks: the first while it is off, the second while it is on (`data-on`). */
export function iconPair(off: IconName, on: IconName): Html {
  return html`${icon(off, 'off')}${icon(on, 'on')}`;
}
