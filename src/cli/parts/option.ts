// Options and words of a command, each declared once: how it is read, what help and documents say of it.
import { parseArgs } from 'node:util';
import { UsageError } from './exit-codes.ts';
import { didYouMean } from './near-words.ts';

/** How one value is read from its text; throws a `UsageError` that begins with `named`. */
export interface Kind<T> {
  /** What stands for it in a usage. */
  readonly value: string;
  read(text: string, named: string): T;
}

export interface Option<T> {
  readonly sentence: string;
  /** What stands for its value in a usage; empty for a flag. */
  readonly value: string;
  readonly isNeeded: boolean;
  readonly isMany: boolean;
  /** What is taken where it is not given. */
  readonly usual?: string;
  /** Of the texts that were given for it, of a flag an empty one. */
  read(texts: readonly string[], named: string): T;
}

/** What stands without an option, in its place. */
export interface Word<T> {
  readonly sentence: string;
  readonly value: string;
  /** How a message names it. */
  readonly called: string;
  read(text: string): T;
}

export type Options = Readonly<Record<string, Option<unknown>>>;
export type Words = Readonly<Record<string, Word<unknown>>>;

/** What a handler gets: `{ id: number; name: string | undefined }`. */
export type Given<O extends Options, W extends Words> = {
  [K in keyof O]: O[K] extends Option<infer T> ? T : never;
} & { [K in keyof W]: W[K] extends Word<infer T> ? T : never };

export function flag(sentence: string): Option<boolean> {
  const read = (texts: readonly string[]) => texts.length > 0;
  return { sentence, value: '', isNeeded: false, isMany: false, read };
}

export function option<T>(kind: Kind<T>, sentence: string): Option<T | undefined> {
  return { sentence, value: kind.value, isNeeded: false, isMany: false, read: lastOf(kind) };
}

export function needed<T>(kind: Kind<T>, sentence: string): Option<T> {
  const last = lastOf(kind);
  const read = (texts: readonly string[], named: string) => {
    const value = last(texts, named);
    if (value === undefined) throw new UsageError(`${named} must be given`);
    return value;
  };
  return { sentence, value: kind.value, isNeeded: true, isMany: false, read };
}

/** One that has a value also where nobody gives it. */
export function usually<T>(kind: Kind<T>, usual: string, sentence: string): Option<T> {
  const read = (texts: readonly string[], named: string) => kind.read(texts.at(-1) ?? usual, named);
  return { sentence, value: kind.value, isNeeded: false, isMany: false, usual, read };
}

/** One that may be given again. */
export function several<T>(kind: Kind<T>, sentence: string): Option<T[]> {
  const read = (texts: readonly string[], named: string) =>
    texts.map((text) => kind.read(text, named));
  return { sentence, value: kind.value, isNeeded: false, isMany: true, read };
}

/** `called` is how a message names it, as "the channel id". */
export function word<T>(kind: Kind<T>, called: string, sentence: string): Word<T> {
  return { sentence, value: kind.value, called, read: (text) => kind.read(text, called) };
}

function lastOf<T>(kind: Kind<T>) {
  return (texts: readonly string[], named: string): T | undefined => {
    const text = texts.at(-1);
    return text === undefined ? undefined : kind.read(text, named);
  };
}

/** Those of every command. */
export const commonOptions = {
  json: flag('Print JSON lines, also on a terminal; a problem is one JSON line on standard error.'),
  quiet: flag('No progress and no remarks on standard error.'),
  help: flag('Say what the command does; nothing is done.'),
};

interface Declared {
  options: Options;
  words: Words;
}

/** What was typed, by option, and what stands without one; throws where an option is not known. */
export function splitWords(typed: readonly string[], { options }: Pick<Declared, 'options'>) {
  const all: Options = { ...options, ...commonOptions };
  const { tokens } = parseArgs({
    args: [...typed],
    strict: false,
    tokens: true,
    allowPositionals: true,
    options: {
      ...Object.fromEntries(
        Object.entries(all).map(([name, { value }]) => [
          name,
          { type: value === '' ? 'boolean' : 'string' } as const,
        ]),
      ),
      help: { type: 'boolean', short: 'h' },
    },
  });
  const texts: Record<string, string[]> = {};
  const rest: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') rest.push(token.value);
    if (token.kind !== 'option') continue;
    const { name, rawName } = token;
    const known = Object.hasOwn(all, name) ? all[name] : undefined;
    if (!known) throw new UsageError(unknownOption(rawName, Object.keys(all)));
    texts[name] = [...(texts[name] ?? []), typedValue(token, known)];
  }
  return { texts, rest };
}

function unknownOption(typed: string, known: readonly string[]): string {
  const near = didYouMean(
    typed,
    known.map((name) => `--${name}`),
  );
  return `there is no option ${typed}${near}`;
}

function typedValue(
  token: { rawName: string; value?: string | undefined; inlineValue?: boolean | undefined },
  { value }: Option<unknown>,
): string {
  const { rawName, value: given, inlineValue = false } = token;
  if (value === '') {
    if (inlineValue) throw new UsageError(`${rawName} takes no value`);
    return '';
  }
  if (given === undefined) throw new UsageError(`${rawName} must have a value behind it: ${value}`);
  if (!inlineValue && given.startsWith('--'))
    throw new UsageError(
      `${rawName} must have a value behind it: ${value} (where "${given}" is meant, write ${rawName}=${given})`,
    );
  return given;
}

/** The values that the handler gets. */
export function readGiven(
  { texts, rest }: ReturnType<typeof splitWords>,
  { options, words }: Declared,
): Record<string, unknown> {
  const named = Object.entries(words);
  const missing = named[rest.length];
  if (missing) throw new UsageError(`${missing[1].called} must be given`);
  const extra = rest[named.length];
  if (extra !== undefined) throw new UsageError(`"${extra}" is one word too many`);
  return Object.fromEntries([
    ...named.map(([name, { read }], at) => [name, read(rest[at] ?? '')] as const),
    ...Object.entries(options).map(
      ([name, { read }]) => [name, read(texts[name] ?? [], `--${name}`)] as const,
    ),
  ]);
}
