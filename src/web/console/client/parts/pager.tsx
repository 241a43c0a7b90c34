// From page to page of a list.
import { filled } from '../../../pages/client/page-elements.ts';
import { useTexts } from '../console-parts.ts';
import { ConsoleIcon } from './console-icon.tsx';

export function Pager(props: {
  p: number;
  pages: number;
  hrefOf(p: number): string;
  /** The window is not moved: the list is not the first of the view. */
  stays?: boolean;
}) {
  const { common } = useTexts();
  const { p, pages, hrefOf } = props;
  const stays = props.stays ? { 'data-stays': '' } : {};
  if (pages <= 1) return null;
  return (
    <nav class="pager" aria-label={filled(common.page_of, { p, pages })}>
      {p > 1 ? (
        <a class="press usual small" href={hrefOf(p - 1)} rel="prev" {...stays}>
          <ConsoleIcon name="left" />
          <span>{common.previous}</span>
        </a>
      ) : (
        <span />
      )}
      <span class="soft" aria-hidden="true">
        {filled(common.page_of, { p, pages })}
      </span>
      {p < pages ? (
        <a class="press usual small" href={hrefOf(p + 1)} rel="next" {...stays}>
          <span>{common.next}</span>
          <ConsoleIcon name="right" />
        </a>
      ) : (
        <span />
      )}
    </nav>
  );
}
