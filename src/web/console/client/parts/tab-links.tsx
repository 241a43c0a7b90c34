// Tabs that are addresses: links of a row, of which one is where one is.

export interface TabLink {
  href: string;
  text: string;
  isHere: boolean;
  count?: number | string | undefined;
}

export function TabLinks({ label, tabs }: { label: string; tabs: TabLink[] }) {
  return (
    <nav class="tabs" aria-label={label}>
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
