// How a button or a slider of the control bar shows what is.

/** A button with two icons, and the name of what it would do. */
export function setButton(button: HTMLButtonElement, isOn: boolean, name: string): void {
  button.dataset['on'] = String(isOn);
  // A screen reader would say it again if the same were written once more.
  if (button.ariaLabel === name) return;
  button.ariaLabel = name;
  button.title = name;
}

/** How full a slider is drawn: a share of the whole, 0 to 1. */
export function setShare(slider: HTMLElement, name: '--done' | '--loaded', share: number): void {
  slider.style.setProperty(name, String(Math.min(1, Math.max(0, share))));
}
