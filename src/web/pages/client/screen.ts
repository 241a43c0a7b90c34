// Full screen and picture in picture, where the browser has them.
import type { ClientTexts } from '../page-data.ts';
import { setButton } from './buttons.ts';
import { find } from './page-elements.ts';

export interface Screen {
  /** Full screen, or back. */
  toggle(): void;
}

/** iPhones put no element but the video itself in full screen, with controls of their own. */
interface PhoneVideo extends HTMLVideoElement {
  webkitEnterFullscreen?(): void;
}

export function startScreen(
  frame: HTMLElement,
  media: HTMLVideoElement,
  texts: ClientTexts,
): Screen {
  startPictureInPicture(media, texts);
  const button = find('fullscreen');
  const phone: PhoneVideo = media;
  button.hidden = !document.fullscreenEnabled && !phone.webkitEnterFullscreen;
  const show = () => {
    const isOn = document.fullscreenElement === frame;
    setButton(button, isOn, isOn ? texts.leave_fullscreen : texts.enter_fullscreen);
  };
  const toggle = () => {
    if (document.fullscreenElement) document.exitFullscreen().catch(ignored);
    else if (document.fullscreenEnabled) frame.requestFullscreen().catch(ignored);
    else phone.webkitEnterFullscreen?.();
  };
  button.addEventListener('click', toggle);
  document.addEventListener('fullscreenchange', show);
  show();
  return { toggle };
}

function startPictureInPicture(media: HTMLVideoElement, texts: ClientTexts): void {
  const button = find('pip');
  button.hidden = !document.pictureInPictureEnabled;
  const show = () => {
    const isOn = document.pictureInPictureElement === media;
    setButton(button, isOn, isOn ? texts.leave_pip : texts.enter_pip);
  };
  button.addEventListener('click', () => {
    if (document.pictureInPictureElement) document.exitPictureInPicture().catch(ignored);
    else media.requestPictureInPicture().catch(ignored);
  });
  media.addEventListener('enterpictureinpicture', show);
  media.addEventListener('leavepictureinpicture', show);
  show();
}

/** The browser would not: the button shows that nothing changed. */
function ignored(): void {}
