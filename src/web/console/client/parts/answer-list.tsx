// A list out of one answer: loading, refused, empty or there.
import type { ComponentChildren } from 'preact';
import { useTexts } from '../console-parts.ts';
import type { Answered } from '../use-answer.ts';
import { ProblemState } from './problem-state.tsx';
import { Skeleton } from './skeleton.tsx';

export function AnswerList<T>(props: {
  answered: Answered<T>;
  isEmpty(value: T): boolean;
  empty: ComponentChildren;
  children(value: T): ComponentChildren;
}) {
  const { value, problem, reload } = props.answered;
  if (value === undefined && problem) return <ProblemState problem={problem} onRetry={reload} />;
  if (value === undefined) return <ListLoading />;
  return <>{props.isEmpty(value) ? props.empty : props.children(value)}</>;
}

function ListLoading() {
  const { common } = useTexts();
  return (
    <div class="card panel" aria-busy="true">
      <span class="unseen">{common.loading}</span>
      {[24, 18, 21].map((width) => (
        <p key={width}>
          <Skeleton width={width} />
        </p>
      ))}
    </div>
  );
}
