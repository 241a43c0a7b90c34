// Sharing the page, a recording also from where it stands: copy its link, the system's own sheet, the QR code.
import type { ShareWay } from '../../../audience/protocol/messages.ts';
import { addressAt } from '../moment.ts';
import type { ClientTexts } from '../page-data.ts';
import { timeText } from '../time-text.ts';
import { filled, find, findMaybe, pageState } from './page-elements.ts';

export interface Sharing {
  /** Of the page, without anybody's identity in it. */
  url: string;
  media: HTMLMediaElement;
  /** Where the recording that is shown has a page of its own. */
  videoUrl(): string;
  /** It was shared. */
  shared(how: ShareWay): void;
  texts: ClientTexts;
}

export function startShare(sharing: Sharing): void {
  const dialog = find('share-dialog');
  const { shared } = sharing;
  const showFrom = startFrom(sharing);
  find('share').addEventListener('click', () => {
    showFrom();
    dialog.showModal();
  });
  find('share-close').addEventListener('click', () => dialog.close());
  // A click beside the dialog closes it: there the dialog itself is what is clicked.
  dialog.addEventListener('click', ({ target }) => {
    if (target === dialog) dialog.close();
  });
  startCopy(sharing);
  startSystemShare(sharing);
  const qr = findMaybe('share-qr');
  qr?.addEventListener('toggle', () => {
    if (qr.open) shared('qr');
  });
}

/** The offer to begin where the recording stands; it is made anew whenever the dialog opens. */
function startFrom({ url, media, videoUrl, texts }: Sharing): () => void {
  const link = find('share-link');
  const choice = find('share-from-here');
  let at = 0;
  const offer = (address: string) => {
    link.value = address;
    // It was of the link before.
    find('share-note').textContent = '';
  };
  choice.addEventListener('change', () => offer(choice.checked ? addressAt(videoUrl(), at) : url));
  return () => {
    at = Math.floor(media.currentTime);
    offer(url);
    choice.checked = false;
    find('share-from').hidden = pageState() !== 'video' || at === 0;
    find('share-from-name').textContent = filled(texts.share_from, { time: timeText(at) });
  };
}

function startCopy({ texts, shared }: Sharing): void {
  const link = find('share-link');
  const note = find('share-note');
  find('share-copy').addEventListener('click', async () => {
    const isCopied = await copied(link);
    note.textContent = isCopied ? texts.copied : texts.copy_failed;
    if (isCopied) shared('copy');
  });
  link.addEventListener('focus', () => link.select());
}

/** Over plain HTTP browsers have no clipboard for scripts; there the old command still copies what is selected. */
async function copied(field: HTMLInputElement): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(field.value);
    return true;
  } catch {
    field.focus();
    field.select();
    return document.execCommand('copy');
  }
}

function startSystemShare({ shared }: Sharing): void {
  // The title may be another by then.
  const what = () => ({ title: document.title, url: find('share-link').value });
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
