// What a part of a request may hold: its fields by name, and how all of them are read.
import { ApiError, type FieldProblem, quoted } from './errors.ts';

/** One field: a reader, and what OpenAPI says of it. */
export interface Field<T> {
  /** The value, or what was wanted instead. */
  readonly read: (came: unknown) => T | Misread;
  /** The contract; what is taken besides (numeric strings, null) is leniency. */
  readonly schema: FieldSchema;
}

/** JSON Schema, with the description that every field has. */
export interface FieldSchema {
  readonly description: string;
  readonly examples?: readonly unknown[];
  readonly default?: unknown;
  readonly [keyword: string]: unknown;
}

/** A reader gives it where it cannot understand what came. */
export class Misread {
  private readonly wanted: string;
  private readonly isSecret: boolean;

  constructor(wanted: string, { isSecret = false } = {}) {
    this.wanted = wanted;
    this.isSecret = isSecret;
  }

  /** Says what was wanted and what came, unless that is a secret. */
  sentence(came: unknown): string {
    return this.isSecret ? this.wanted : `${this.wanted} (got ${quoted(came)})`;
  }
}

/** The fields of a path, a query, a body or a line of an import. */
export type Shape = Readonly<Record<string, Field<unknown>>>;

/**
 * What was given of a shape: the required fields, and any of the others. Of
 * `{ name: Field<string>; p: Field<number> }` with `'name'` required it is `{ name: string; p?: number }`.
 */
export type Given<S extends Shape, R extends keyof S = never> = {
  [K in Exclude<keyof S, R>]?: ValueOf<S[K]>;
} & { [K in R]: ValueOf<S[K]> };

type ValueOf<F> = F extends Field<infer T> ? T : never;

/** Reads by a shape; throws the one error that names every field at fault. */
export function readPart<S extends Shape, R extends keyof S & string = never>(
  shape: S,
  came: Record<string, unknown>,
  required: readonly R[] = [],
): Given<S, R> {
  const { given, problems } = readShape(shape, came);
  const missing: FieldProblem[] = required
    .filter((name) => came[name] === undefined || came[name] === null)
    .map((name) => ({ name, message: `${name} must be given` }));
  if (problems.length > 0) throw new ApiError('invalid', { fields: [...missing, ...problems] });
  if (missing.length > 0) throw new ApiError('missing', { fields: missing });
  return given as Given<S, R>;
}

/** Reads the fields of a shape out of what came: unknown ones are ignored, null is not given. */
export function readShape<S extends Shape>(shape: S, came: Record<string, unknown>) {
  const given: Record<string, unknown> = {};
  const problems: FieldProblem[] = [];
  for (const name in shape) {
    const value = Object.hasOwn(came, name) ? came[name] : undefined;
    if (value === undefined || value === null) continue;
    const result = (shape[name] as Field<unknown>).read(value);
    if (result instanceof Misread)
      problems.push({ name, message: `${name} ${result.sentence(value)}` });
    else given[name] = result;
  }
  return { given: given as Given<S>, problems };
}
