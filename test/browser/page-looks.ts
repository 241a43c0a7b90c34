// What the tests of the pages look at inside the browser: put into each page as `looks`.
const looks = {
  /** As if people were talking: authors in every colour, the host, and a line that is pinned. */
  fillChat(): void {
    const log = document.getElementById('chat-log');
    for (let hue = 0; log && hue < 8; hue++) {
      const message = document.createElement('li');
      message.className = 'message';
      const author = document.createElement('span');
      author.className = 'author';
      author.dataset['hue'] = String(hue);
      author.textContent = `author ${hue}`;
      message.append(author, ' says something');
      log.append(message);
    }
    const pinned = document.getElementById('pinned-line');
    for (const place of [log?.lastElementChild, pinned]) {
      const badge = document.createElement('span');
      badge.className = 'host';
      badge.textContent = 'Host';
      place?.classList.add('by-host');
      place?.append(badge, ' and what the host says');
    }
    pinned?.parentElement?.removeAttribute('hidden');
  },

  /** Elements that reach beyond the window's width, where nothing can scroll to them. */
  overEdge(): string[] {
    return [...document.body.querySelectorAll('*')]
      .filter((one) => !one.closest('.unseen, dialog:not([open])') && isOver(one))
      .map((one) => one.id || one.getAttribute('class') || one.tagName);
  },

  /** How far the chat's form stands from the edges of its card, left and right. */
  formMargins(): number[] {
    const [card, field, button] = ['chat', 'chat-text', 'chat-send'].map(placeOf);
    const left = (field?.left ?? 0) - (card?.left ?? 0);
    return [left, (card?.right ?? 0) - (button?.right ?? 0)].map(Math.round);
  },

  /** Whether the two are both seen, and neither covers the other. */
  isApart(...ids: [string, string]): boolean {
    const [one, other] = ids.map(placeOf);
    if (!one?.height || !other?.height) return false;
    const isBeside = one.right <= other.left || other.right <= one.left;
    return isBeside || one.bottom <= other.top || other.bottom <= one.top;
  },

  /** Where an element is in the window, in whole pixels. */
  box(id: string): Record<string, number> {
    const { left = 0, top = 0, right = 0, bottom = 0 } = placeOf(id) ?? {};
    const sides = Object.entries({ left, top, right, bottom });
    return Object.fromEntries(sides.map(([side, pixels]) => [side, Math.round(pixels)]));
  },

  /** A picture of that size comes, from nowhere; resolves when the page has heard of it. */
  async showPicture(width: number, height: number): Promise<void> {
    const media = document.getElementById('video') as HTMLVideoElement;
    const canvas = document.createElement('canvas');
    Object.assign(canvas, { width, height });
    canvas.getContext('2d')?.fillRect(0, 0, width, height);
    await new Promise((resolve) => {
      media.addEventListener('loadedmetadata', resolve, { once: true });
      media.srcObject = canvas.captureStream(10);
    });
    await new Promise((resolve) => requestAnimationFrame(resolve));
  },

  /** Where the keyboard is, and the ring around it. */
  focused(): { id: string; outline: string } {
    const { activeElement } = document;
    if (!activeElement || activeElement === document.body) return { id: '', outline: '' };
    const { outlineStyle, outlineWidth } = getComputedStyle(activeElement);
    return {
      id: activeElement.id || activeElement.tagName,
      outline: `${outlineStyle} ${outlineWidth}`,
    };
  },

  /** Puts the page in a state, as its script does; where everything stands then. */
  placesIn(state: string, viewers: string): string {
    document.body.dataset['state'] = state;
    const count = document.getElementById('viewers');
    if (count) count.textContent = viewers;
    return ['player', 'chat', 'share', 'video'].map((id) => JSON.stringify(placeOf(id))).join();
  },
};

function placeOf(id: string): DOMRect | undefined {
  return document.getElementById(id)?.getBoundingClientRect();
}

function isOver(one: Element): boolean {
  const { left, right, width } = one.getBoundingClientRect();
  const isSeen = width > 1 && getComputedStyle(one).visibility === 'visible';
  return isSeen && (left < -1 || right > innerWidth + 1);
}

Object.assign(globalThis, { looks });
