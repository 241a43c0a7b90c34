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
      const link = document.createElement('a');
      link.href = 'https://example.com/';
      link.textContent = link.href;
      const text = document.createElement('bdi');
      text.className = 'text';
      text.append('says something, see ', link);
      message.append(author, text);
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

  /** The links in a part of the page, and which way the first letters of each run. */
  links(selector: string): { href: string; target: string; rel: string; runs: string }[] {
    return [...document.querySelectorAll<HTMLAnchorElement>(`${selector} a`)].map((link) => {
      const { href, target, rel, firstChild } = link;
      const [first, second] = [0, 1].map((at) => leftOf(firstChild, at));
      return { href, target, rel, runs: (first ?? 0) < (second ?? 0) ? 'ltr' : 'rtl' };
    });
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

  /**
   * In which order the parts of what people wrote are seen, from left to right: of a message its author, the first and the
   * last letter of its text, and its time; of anything else its first and last letter.
   */
  order(selector: string): string {
    const one = document.querySelector(selector);
    const text = one?.querySelector('.text') ?? one;
    const parts: [name: string, from: number][] = ['.author', '.host', 'time'].flatMap((part) => {
      const place = one?.querySelector(part)?.getBoundingClientRect();
      return place ? [[part, place.left]] : [];
    });
    const node = text?.lastChild;
    const length = node?.textContent?.length ?? 0;
    for (const [name, at] of [
      ['first', 0],
      ['last', length - 1],
    ] as const) {
      const letter = document.createRange();
      if (node) letter.setStart(node, at);
      if (node) letter.setEnd(node, at + 1);
      parts.push([name, letter.getBoundingClientRect().left]);
    }
    return parts
      .sort(([, a], [, b]) => a - b)
      .map(([name]) => name)
      .join(' ');
  },

  /** The smallest distance between two parts of a message in one line. */
  gapMin(): number {
    const gaps = [...document.querySelectorAll('#chat-log .message')].flatMap((message) => {
      // The button lies over them, where a pointer is.
      const parts = [...message.children].filter((one) => !one.matches('.reply'));
      const places = parts.map((one) => one.getBoundingClientRect());
      places.sort((a, b) => a.left - b.left);
      return places.slice(1).map(({ left }, at) => left - (places[at]?.right ?? 0));
    });
    return Math.min(...gaps);
  },

  /** At which end of each message the button that answers it stands. */
  replySides(): string[] {
    return [...document.querySelectorAll('#chat-log .message')].map((message) => {
      const { left, right } = message.getBoundingClientRect();
      const reply = message.querySelector('.reply')?.getBoundingClientRect();
      return (reply?.left ?? 0) - left > right - (reply?.right ?? 0) ? 'right' : 'left';
    });
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

/** Where the letter at that place of a text begins. */
function leftOf(text: Node | null, at: number): number | undefined {
  if (!text) return undefined;
  const letter = document.createRange();
  letter.setStart(text, at);
  letter.setEnd(text, at + 1);
  return letter.getBoundingClientRect().left;
}

function isOver(one: Element): boolean {
  const { left, right, width } = one.getBoundingClientRect();
  const isSeen = width > 1 && getComputedStyle(one).visibility === 'visible';
  return isSeen && (left < -1 || right > innerWidth + 1);
}

Object.assign(globalThis, { looks });
