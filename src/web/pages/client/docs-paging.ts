// From page to page of `/docs` without leaving it, where a token was typed: that is in the memory of the page alone.

export interface Paging {
  /** To an address of `/docs`. */
  go(address: string): void;
}

export function startPaging(options: {
  /** Else the browser goes by itself, as it does best. */
  isWanted: () => boolean;
  /** Another page is shown. */
  onShown: () => void;
}): Paging {
  const { isWanted, onShown } = options;
  let shownPath = location.pathname;

  const show = async (path: string): Promise<boolean> => {
    const answer = await fetch(path).catch(() => undefined);
    if (!answer?.ok) return false;
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
    for (const name of ['main', 'nav']) {
      const [now, next] = [document.querySelector(name), page.querySelector(name)];
      if (!now || !next) return false;
      now.replaceChildren(...next.childNodes);
    }
    document.title = page.title;
    shownPath = path;
    onShown();
    return true;
  };

  const go = async (address: string) => {
    const { pathname, hash, origin } = new URL(address, location.href);
    if (!isWanted() || origin !== location.origin || pathname === shownPath) {
      location.assign(address);
      return;
    }
    if (!(await show(pathname))) {
      location.assign(address);
      return;
    }
    history.pushState(null, '', pathname);
    scrollTo(0, 0);
    document.querySelector<HTMLElement>('main')?.focus({ preventScroll: true });
    // By the browser, which then knows what is meant.
    if (hash) location.replace(hash);
  };

  document.addEventListener('click', (event) => {
    const { target, button, ctrlKey, metaKey, shiftKey, altKey } = event;
    if (button !== 0 || ctrlKey || metaKey || shiftKey || altKey || event.defaultPrevented) return;
    const link = target instanceof Element ? target.closest<HTMLAnchorElement>('a[href]') : null;
    const isOfDocs = link?.pathname === '/docs' || link?.pathname.startsWith('/docs/');
    if (!link || !isOfDocs || !isWanted() || link.pathname === shownPath) return;
    event.preventDefault();
    document.querySelector<HTMLElement>('nav')?.hidePopover();
    void go(link.href);
  });
  addEventListener('popstate', async () => {
    const { pathname, href } = location;
    if (pathname !== shownPath && !(await show(pathname))) location.assign(href);
  });
  return { go: (address) => void go(address) };
}
