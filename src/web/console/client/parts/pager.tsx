// From page to page of a list.
import type { ComponentChildren } from 'preact';
import { filled } from '../../../pages/client/page-elements.ts';
import { useTexts } from '../console-parts.ts';
import { ConsoleIcon } from './console-icon.tsx';

/** Where the pages are: in the address, or in the list alone. */
type Leads =
  | {
      hrefOf(p: number): string;
      /** The window is not moved: the list is not the first of the view. */
      stays?: boolean;
    }
  | { onTurn(p: number): void };

export function Pager(props: { p: number; pages: number } & Leads) {
  const { common } = useTexts();
  const { p, pages } = props;
  if (pages <= 1) return null;
  const step = (to: number, rel: 'prev' | 'next', children: ComponentChildren) => {
    if (to < 1 || to > pages) return <span />;
    if ('onTurn' in props)
      return (
        <button type="button" class="press usual small" onClick={() => props.onTurn(to)}>
          {children}
        </button>
      );
    const stays = props.stays ? { 'data-stays': '' } : {};
    return (
      <a class="press usual small" href={props.hrefOf(to)} rel={rel} {...stays}>
        {children}
      </a>
    );
  };
  return (
    <nav class="pager" aria-label={filled(common.page_of, { p, pages })}>
      {step(
        p - 1,
        'prev',
        <>
          <ConsoleIcon name="left" />
          <span>{common.previous}</span>
        </>,
      )}
      <span class="soft" aria-hidden="true">
        {filled(common.page_of, { p, pages })}
      </span>
      {step(
        p + 1,
        'next',
        <>
          <span>{common.next}</span>
          <ConsoleIcon name="right" />
        </>,
      )}
    </nav>
  );
}
