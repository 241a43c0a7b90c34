// The dialog that shares a page: its link, the system's own sheet, the QR code.
import { type Html, html } from './html.ts';
import { icon } from './icons.ts';
import { id } from './page-ids.ts';
import type { PageTexts } from './texts-en.ts';

export function shareDialog(given: { texts: PageTexts; url: string; hasQr: boolean }): Html {
  const { texts, url, hasQr } = given;
  return html`<dialog ${id('share-dialog')} class="card" aria-labelledby="share-title">
<div class="top"><h2 ${id('share-title')}>${texts.share}</h2>
<button ${id('share-close')} type="button" class="plain" aria-label="${texts.close}">${icon('close')}</button></div>
<div class="say"><input ${id('share-link')} type="text" readonly value="${url}" aria-label="${texts.share_link}">
<button ${id('share-copy')} type="button" class="button">${texts.copy_link}</button></div>
<label ${id('share-from')} class="choice" hidden><input ${id('share-from-here')} type="checkbox"><span ${id('share-from-name')}></span></label>
<button ${id('share-system')} type="button" class="button" hidden>${icon('share')}${texts.share_system}</button>
${hasQr ? qr(texts) : ''}
<p ${id('share-note')} class="soft" role="status"></p></dialog>`;
}

function qr(texts: PageTexts): Html {
  return html`<details ${id('share-qr')}><summary>${texts.show_qr}</summary>
<svg class="qr" role="img" aria-label="${texts.qr_name}"><use href="#qr"/></svg></details>`;
}
