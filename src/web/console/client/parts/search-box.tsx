// A search field whose text is in the address: it is asked for when one stops typing, and follows when one goes back.
import { useEffect, useRef, useState } from 'preact/hooks';
import { useConsole } from '../console-parts.ts';
import { ConsoleIcon } from './console-icon.tsx';

/** Whoever types does not want an answer to every letter. */
const typingMs = 250;

export function SearchBox(props: {
  label: string;
  /** What the address says. */
  q: string;
  hrefOf(q: string): string;
}) {
  const { router } = useConsole();
  const { label, q, hrefOf } = props;
  const [typed, type] = useState(q);
  const sent = useRef(q);
  const href = useRef(hrefOf);
  href.current = hrefOf;
  useEffect(() => {
    // Back, or another tab, changes what is searched for.
    if (q !== sent.current) type(q);
    sent.current = q;
  }, [q]);
  useEffect(() => {
    if (typed === sent.current) return;
    const timer = setTimeout(() => {
      sent.current = typed.trim();
      router.go(href.current(typed.trim()), { replace: true });
    }, typingMs);
    return () => clearTimeout(timer);
  }, [typed, router]);
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
