// Tabs that are addresses: links of a row, of which one is where one is.
import { useEffect, useRef } from 'preact/hooks';

export interface TabLink {
  href: string;
  text: string;
  isHere: boolean;
  count?: number | string | undefined;
}

export function TabLinks({ label, tabs }: { label: string; tabs: TabLink[] }) {
  const row = useRef<HTMLElement>(null);
  const here = tabs.findIndex(({ isHere }) => isHere);
  useEffect(() => {
    // On a phone the row is longer than the screen; only the row moves, not the page.
    const tab = row.current?.querySelector<HTMLElement>('[aria-current]');
    if (row.current && tab)
      row.current.scrollLeft = tab.offsetLeft + tab.offsetWidth / 2 - row.current.clientWidth / 2;
  }, [here]);
  return (
    <nav class="tabs" aria-label={label} ref={row}>
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
