// The buttons that copy a piece of code.

const saidMs = 2_000;

export function startCopying(): void {
  document.addEventListener('click', async ({ target }) => {
    const button = target instanceof Element ? target.closest('button.copy') : null;
    const code = button?.parentElement?.querySelector('pre');
    if (!button || !code) return;
    button.textContent = (await copied(code)) ? 'Copied' : 'Failed';
    setTimeout(() => {
      button.textContent = 'Copy';
    }, saidMs);
  });
}

/** Over plain HTTP browsers have no clipboard for scripts; there the old command still copies what is selected. */
async function copied(code: HTMLElement): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(code.textContent ?? '');
    return true;
  } catch {
    getSelection()?.selectAllChildren(code);
    return document.execCommand('copy');
  }
}
