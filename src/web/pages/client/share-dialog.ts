// Sharing the page: copy its link, the system's own sheet, the QR code; each is told to the service.
import type { PageMessage, ShareWay } from '../../../audience/protocol/messages.ts';
import type { WatchData } from '../page-data.ts';
import { find, findMaybe } from './page-elements.ts';

export function startShare(data: WatchData, send: (message: PageMessage) => boolean): void {
  const dialog = find('share-dialog');
  const shared = (how: ShareWay) => send({ type: 'share', how });
  find('share').addEventListener('click', () => dialog.showModal());
  find('share-close').addEventListener('click', () => dialog.close());
  // A click beside the dialog closes it: there the dialog itself is what is clicked.
  dialog.addEventListener('click', ({ target }) => {
    if (target === dialog) dialog.close();
  });
  startCopy(data, shared);
  startSystemShare(data, shared);
  const qr = findMaybe('share-qr');
  qr?.addEventListener('toggle', () => {
    if (qr.open) shared('qr');
  });
}

function startCopy({ share_url, texts }: WatchData, shared: (how: ShareWay) => void): void {
  const link = find('share-link');
  const note = find('share-note');
  find('share-copy').addEventListener('click', async () => {
    const isCopied = await copied(share_url, link);
    note.textContent = isCopied ? texts.copied : texts.copy_failed;
    if (isCopied) shared('copy');
  });
  link.addEventListener('focus', () => link.select());
}

/** Over plain HTTP browsers have no clipboard for scripts; there the old command still copies what is selected. */
async function copied(text: string, field: HTMLInputElement): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    field.focus();
    field.select();
    return document.execCommand('copy');
  }
}

function startSystemShare({ share_url }: WatchData, shared: (how: ShareWay) => void): void {
  // The title may be another by then.
  const what = () => ({ title: document.title, url: share_url });
  const button = find('share-system');
  // Browsers lack it over plain HTTP and on many desktops.
  button.hidden = !('canShare' in navigator && navigator.canShare(what()));
  button.addEventListener('click', async () => {
    try {
      await navigator.share(what());
      shared('system');
    } catch {
      // The viewer chose nobody.
    }
  });
}
