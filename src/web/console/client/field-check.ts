// What the service would say of a form's fields, without asking it.
import { catalogue } from '../../../base/api/errors.ts';
import { readShape, type Shape } from '../../../base/api/shape.ts';
import type { Problem } from './api.ts';

/** By the fields that the service reads them with; undefined where it would take them. */
export function fieldsProblem(shape: Shape, typed: Record<string, unknown>): Problem | undefined {
  const { problems: fields } = readShape(shape, typed);
  if (fields.length === 0) return undefined;
  return { kind: 'refused', ...catalogue.invalid, fields, retrySeconds: 0 };
}
