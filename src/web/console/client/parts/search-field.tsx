// A field that searches as one types; where the search is in the address, back leads to the last one.
import { useEffect, useRef, useState } from 'preact/hooks';
import { ConsoleIcon } from './console-icon.tsx';

/** Whoever types does not want an answer to every letter. */
const typingMs = 250;

export function SearchField(props: { label: string; q: string; onSearch(q: string): void }) {
  const { label, q, onSearch } = props;
  const [typed, type] = useState(q);
  const sent = useRef(q);
  const search = useRef(onSearch);
  search.current = onSearch;
  useEffect(() => {
    // Back, or another tab, changes what is searched for.
    if (q !== sent.current) type(q);
    sent.current = q;
  }, [q]);
  useEffect(() => {
    if (typed === sent.current) return;
    const timer = setTimeout(() => {
      sent.current = typed.trim();
      search.current(typed.trim());
    }, typingMs);
    return () => clearTimeout(timer);
  }, [typed]);
  return (
    <search class="search">
      <ConsoleIcon name="search" />
      <input
        class="control"
        type="search"
        aria-label={label}
        placeholder={label}
        value={typed}
        maxLength={255}
        onInput={(event) => type(event.currentTarget.value)}
      />
    </search>
  );
}
