// From page to page of a list.
import { filled } from '../../../pages/client/page-elements.ts';
import { useTexts } from '../console-parts.ts';
import { ConsoleIcon } from './console-icon.tsx';

export function Pager(props: { p: number; pages: number; hrefOf(p: number): string }) {
  const { common } = useTexts();
  const { p, pages, hrefOf } = props;
  if (pages <= 1) return null;
  return (
    <nav class="pager" aria-label={filled(common.page_of, { p, pages })}>
      {p > 1 ? (
        <a class="press usual small" href={hrefOf(p - 1)} rel="prev">
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
        <a class="press usual small" href={hrefOf(p + 1)} rel="next">
          <span>{common.next}</span>
          <ConsoleIcon name="right" />
        </a>
      ) : (
        <span />
      )}
    </nav>
  );
}
