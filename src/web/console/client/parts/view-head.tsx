// The head of a view: its name, which is the page's title too and where the keyboard begins, and what can be done.
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { useTexts } from '../console-parts.ts';

export function ViewHead(props: { title: string; children?: ComponentChildren }) {
  useTitle(props.title);
  return (
    <header class="view-head">
      <h1 tabIndex={-1}>{props.title}</h1>
      {props.children && <div class="view-actions">{props.children}</div>}
    </header>
  );
}

/** Empty: while the name is not known. */
export function useTitle(title: string): void {
  const { brand } = useTexts();
  useEffect(() => {
    document.title = title === '' ? brand : `${title} · ${brand}`;
  }, [title, brand]);
}
