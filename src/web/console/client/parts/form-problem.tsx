// Why a form was not taken, above its button.
import type { Sentence } from '../problem-text.ts';
import { ConsoleIcon } from './console-icon.tsx';
import { ProblemWords } from './problem-words.tsx';

export function FormProblem({ text }: { text: Sentence | undefined }) {
  return (
    <div role="alert">
      {text && (
        <p class="form-problem">
          <ConsoleIcon name="warning" />
          <span>
            <ProblemWords said={text} />
          </span>
        </p>
      )}
    </div>
  );
}
