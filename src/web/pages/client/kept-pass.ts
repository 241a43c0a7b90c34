// In a frame whose cookies are lost, the pass that its address carries is kept by the browser for when its site is loaded anew.
import { type KeptText, keptText } from './kept-text.ts';

/** Of this page; browsers keep it apart for each site that has the frame. Empty: none. */
export function keptPass(): KeptText {
  return keptText('browser', `footlight_pass ${location.pathname}`);
}

/** Of a page that was let in. */
export function keepPass(): void {
  const pass = new URLSearchParams(location.search).get('pass');
  if (pass !== null && document.body.classList.contains('embed')) keptPass().keep(pass);
}
