// What a person is told where the service did not do what they asked.
import { filled } from '../../pages/client/page-elements.ts';
import type { Problem } from './api.ts';
import type { ConsoleTexts } from './texts/console-texts.ts';

/** In the person's language where we know what it is; else in the service's own words. */
export function problemText(problem: Problem, { problem: texts }: ConsoleTexts): string {
  if (problem.kind !== 'refused') return texts.away;
  if (problem.fields.length > 0) return texts.fields;
  if (problem.status === 429)
    return filled(texts.too_often, { seconds: Math.max(1, problem.retrySeconds) });
  if (problem.status === 403) return problem.message || texts.forbidden;
  if (problem.status === 502 || problem.status === 503 || problem.status === 504) return texts.busy;
  if (problem.status >= 500) return texts.internal;
  return problem.message || texts.internal;
}

/** The sentence about one field, where there is one: without the field's name, which stands above it. */
export function fieldProblem(problem: Problem | undefined, name: string): string | undefined {
  const found = problem?.fields.find((field) => field.name === name);
  if (!found) return undefined;
  const said = found.message.replace(new RegExp(`^${name} `), '');
  return said.charAt(0).toUpperCase() + said.slice(1);
}
