// A list of the service's, page by page, that has no place of its own in the address.
import { useEffect, useState } from 'preact/hooks';
import { type Answered, useAnswer } from './use-answer.ts';

export interface PagedAnswer<T> {
  answered: Answered<T>;
  turnTo(p: number): void;
}

/** `path` without a query. */
export function usePagedAnswer<T extends { meta: { page: number } }>(
  path: string,
  { perPage, ...how }: { perPage: number; everyMs?: number },
): PagedAnswer<T> {
  const [p, turnTo] = useState(1);
  const answered = useAnswer<T>(`${path}?perPage=${perPage}&p=${p}`, how);
  const last = Math.max(1, answered.value?.meta.page ?? p);
  // What was taken back may have been all that the last page had.
  useEffect(() => {
    if (p > last) turnTo(last);
  }, [p, last]);
  return { answered, turnTo };
}
