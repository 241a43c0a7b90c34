// Tabs that are addresses: links of a row, of which one is where one is.
import { useEffect, useRef } from 'preact/hooks';

export interface TabLink {
  href: string;
  text: string;
  isHere: boolean;
  count?: number | string | undefined;
}

export function TabLinks({ label, tabs }: { label: string; tabs: TabLink[] }) {
  const nav = useRef<HTMLElement>(null);
  const here = tabs.find(({ isHere }) => isHere)?.href;
  // Those that come later make the row longer.
  const counts = tabs.filter(({ count }) => count !== undefined).length;
  useEffect(() => {
    if (nav.current) showCurrent(nav.current);
  }, [here, tabs.length, counts]);
  return (
    <nav class="tabs" aria-label={label} ref={nav}>
      <ul>
        {tabs.map(({ href, text, isHere, count }) => (
          <li key={href}>
            <a href={href} aria-current={isHere ? 'page' : undefined}>
              {text}
              {count !== undefined && <span class="tab-count">{count}</span>}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** On a phone a row is wider than the page: the tab where one is may lie outside. Only the row moves, not the page. */
function showCurrent(nav: HTMLElement): void {
  const current = nav.querySelector('[aria-current]')?.getBoundingClientRect();
  if (!current) return;
  const row = nav.getBoundingClientRect();
  if (current.right > row.right) nav.scrollLeft += current.right - row.right;
  else if (current.left < row.left) nav.scrollLeft += current.left - row.left;
}
