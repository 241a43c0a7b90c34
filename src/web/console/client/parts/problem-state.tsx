// A view that could not be loaded: why, and another try.
import type { Problem } from '../api.ts';
import { useTexts } from '../console-parts.ts';
import { problemText } from '../problem-text.ts';
import { Button } from './button.tsx';
import { EmptyState } from './empty-state.tsx';

export function ProblemState({ problem, onRetry }: { problem: Problem; onRetry(): void }) {
  const texts = useTexts();
  return (
    <div role="alert">
      <EmptyState
        icon="warning"
        title={texts.problem.title}
        action={<Button onClick={onRetry}>{texts.common.retry}</Button>}
      >
        {problemText(problem, texts)}
      </EmptyState>
    </div>
  );
}
