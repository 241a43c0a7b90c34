// What a part of a request may hold: its fields by name, and how all of them are read.
import { ApiError, type FieldProblem, quoted } from './errors.ts';
import type { Spellings } from './spellings.ts';

/** One field: a reader, and what OpenAPI says of it. */
export interface Field<T> {
  /** The value, or what was wanted instead. */
  readonly read: (came: unknown) => T | Misread;
  /** The contract; what is taken besides (numeric strings, null) is leniency. */
  readonly schema: FieldSchema;
  /** Other spellings of its name that are plainly meant: read where its own name is not given. */
  readonly aliases?: readonly string[];
  /** Null comes to the reader, where it must not be as if nothing was given. */
  readonly readsNull?: boolean;
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
  {
    required = [],
    spellings,
    strict = false,
  }: { required?: readonly R[]; spellings?: Spellings; strict?: boolean } = {},
): Given<S, R> {
  const { given, problems } = readShape(shape, came, spellings);
  if (strict) problems.push(...unknownNames(shape, came));
  const missing: FieldProblem[] = required
    .filter((name) => given[name] === undefined && isAbsent(came, name))
    .map((name) => ({ name, message: `${name} must be given` }));
  if (problems.length > 0) throw new ApiError('invalid', { fields: [...missing, ...problems] });
  if (missing.length > 0) throw new ApiError('missing', { fields: missing });
  return given as Given<S, R>;
}

/** Also where nothing is given by them. */
function unknownNames(shape: Shape, came: Record<string, unknown>): FieldProblem[] {
  const known = Object.entries(shape).flatMap(([name, { aliases = [] }]) => [name, ...aliases]);
  return Object.keys(came)
    .filter((name) => !known.includes(name))
    .slice(0, unknownMax)
    .map((name) => ({
      name: name.slice(0, nameCharactersMax),
      message: `${name.slice(0, nameCharactersMax)} is not known here`,
    }));
}

/** As many, and as much of each, as say what is wrong. */
const unknownMax = 8;
const nameCharactersMax = 64;

/** Reads the fields of a shape out of what came: unknown ones are ignored, and told to `spellings`; null is mostly not given. */
export function readShape<S extends Shape>(
  shape: S,
  came: Record<string, unknown>,
  spellings?: Spellings,
) {
  const given: Record<string, unknown> = {};
  const problems: FieldProblem[] = [];
  const read: string[] = [];
  for (const name in shape) {
    const field = shape[name] as Field<unknown>;
    const isOwn = Object.hasOwn(came, name);
    const value = isOwn ? came[name] : undefined;
    if (isOwn) read.push(name);
    if (value === undefined || (value === null && !field.readsNull)) {
      const other = field.aliases && readAlias(field, came);
      if (!other) continue;
      given[name] = other.value;
      read.push(other.alias);
      spellings?.take(other.alias, name);
      continue;
    }
    const result = field.read(value);
    if (result instanceof Misread)
      problems.push({ name, message: `${name} ${result.sentence(value)}` });
    else given[name] = result;
  }
  if (spellings) tellIgnored(came, { read, spellings });
  return { given: given as Given<S>, problems };
}

/** The first of a field's other spellings that can be read: who writes one that cannot is answered as without it. */
function readAlias(field: Field<unknown>, came: Record<string, unknown>) {
  for (const alias of field.aliases ?? []) {
    if (isAbsent(came, alias)) continue;
    const value = field.read(came[alias]);
    if (!(value instanceof Misread)) return { alias, value };
  }
  return undefined;
}

/** Most requests have no name that the shape does not know; then names are only counted. */
function tellIgnored(
  came: Record<string, unknown>,
  { read, spellings }: { read: readonly string[]; spellings: Spellings },
): void {
  const names = Object.keys(came);
  if (names.length === read.length) return;
  for (const name of names) {
    if (spellings.isFull) return;
    if (!read.includes(name) && !isAbsent(came, name)) spellings.ignore(name);
  }
}

function isAbsent(came: Record<string, unknown>, name: string): boolean {
  return !Object.hasOwn(came, name) || came[name] === undefined || came[name] === null;
}
