// Why a form was not taken, above its button.
import { ConsoleIcon } from './console-icon.tsx';

export function FormProblem({ text }: { text: string | undefined }) {
  return (
    <div role="alert">
      {text && (
        <p class="form-problem">
          <ConsoleIcon name="warning" />
          <span>{text}</span>
        </p>
      )}
    </div>
  );
}
