// Where something will be: it takes the very room of what comes.

/** `width` of the text that comes, in letters. */
export function Skeleton({ width }: { width: number }) {
  return (
    <span class="skeleton" aria-hidden="true" style={{ width: `${width}ch` }}>
      {'\u00a0'}
    </span>
  );
}
