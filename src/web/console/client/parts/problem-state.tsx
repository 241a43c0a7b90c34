// A view that could not be loaded: why, and another try.
import type { Problem } from '../api.ts';
import { useTexts } from '../console-parts.ts';
import { problemText } from '../problem-text.ts';
import { Button } from './button.tsx';
import { EmptyState } from './empty-state.tsx';
import { ProblemWords } from './problem-words.tsx';

export function ProblemState(props: {
  problem: Problem;
  onRetry(): void;
  /** Nothing of the view is there. */
  isView?: boolean;
}) {
  const texts = useTexts();
  const { problem, onRetry, isView } = props;
  return (
    <div role="alert">
      <EmptyState
        icon="warning"
        title={texts.problem.title}
        isView={isView}
        action={<Button onClick={onRetry}>{texts.common.retry}</Button>}
      >
        <ProblemWords said={problemText(problem, texts)} />
      </EmptyState>
    </div>
  );
}
