// What a command of the command line is: one declaration that reading, help and documents follow from.
import type { Config } from '../../config.ts';
import type { AuditGroup } from '../../library/audit/audit-operations.ts';
import type { Given, Options, Words } from './option.ts';
import type { Output } from './output.ts';

/** With the types of its options forgotten, as the table of commands has it. */
export interface Command {
  /** One or two words, as typed. */
  name: string;
  sentence: string;
  /** What help says beyond the sentence. */
  more?: string;
  /** What the audit log has it under; `nothing` where it changes nothing. */
  audit: AuditGroup | 'nothing';
  /** It takes people's data along: its first read is in the audit log, as a write is. */
  isTaken?: boolean;
  /** It also runs where settings cannot be read, to say so. */
  withWrongSettings?: boolean;
  words: Words;
  options: Options;
  /** As typed behind `npx footlight`. */
  examples: readonly string[];
  /** The exit code, 0 where nothing is returned. */
  run(given: never, run: Run): Promise<number | undefined>;
}

/** What a command runs with. */
export interface Run {
  config: Config;
  running: Pick<Command, 'name' | 'audit' | 'isTaken'>;
  out: Output;
  /** What the settings were read from. */
  environment: Readonly<Record<string, string | undefined>>;
  /** Why settings could not be read; empty but for a command that runs all the same. */
  wrongSettings: readonly string[];
}

interface Declared<O extends Options, W extends Words>
  extends Omit<Command, 'words' | 'options' | 'examples' | 'run'> {
  words?: W;
  options?: O;
  /** The usage without options where none is given. */
  examples?: readonly string[];
  run(given: Given<O, W>, run: Run): Promise<number | undefined>;
}

/** The handler's type follows from the words and options. */
export function command<
  const O extends Options = Record<never, never>,
  const W extends Words = Record<never, never>,
>(declared: Declared<O, W>): Command {
  const { words, options, examples = [declared.name], run, ...rest } = declared;
  return { ...rest, words: words ?? {}, options: options ?? {}, examples, run };
}
