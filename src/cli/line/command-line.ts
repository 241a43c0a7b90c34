// One line as it was typed: finds the command, runs it, says plainly what went wrong.
import pkg from '../../../package.json' with { type: 'json' };
import { monotonicMs } from '../../base/lib/time.ts';
import type { Command } from '../parts/command.ts';
import { exitCodes, exitOf, isClosedPipe, sentenceOf, UsageError } from '../parts/exit-codes.ts';
import { didYouMean, nearWord } from '../parts/near-words.ts';
import { readGiven, splitWords } from '../parts/option.ts';
import { Output, type Stream } from '../parts/output.ts';
import { commandHelp, groupHelp, programHelp, usageOf } from './command-help.ts';
import { commandGroups } from './commands.ts';

export interface Streams {
  out: Stream;
  err: Stream;
}

/** What a process is started with. */
interface Started extends Streams {
  environment: Readonly<Record<string, string | undefined>>;
}

/** Runs what was typed; the exit code. */
export async function runLine(typed: readonly string[], started: Started): Promise<number> {
  const { out, err } = started;
  // Also where the command cannot be found: whoever asked for JSON reads nothing else.
  const isJson = typed.includes('--json');
  let found: Command | undefined;
  try {
    const [first = '--help'] = typed;
    if (first === '--version' || first === 'version') {
      await out.write(
        isJson ? `${JSON.stringify({ version: pkg.version })}\n` : `${pkg.version}\n`,
      );
      return 0;
    }
    if (first === 'help' || first === '--help' || first === '-h') {
      await out.write(`${await helpFor(typed.slice(1).filter((one) => !one.startsWith('-')))}\n`);
      return 0;
    }
    const { commands, command, word } = await findCommand(typed);
    found = command;
    if (!command) {
      if (!typed.includes('--help') && !typed.includes('-h'))
        throw new UsageError(missingVerb(word, commands, typed[1]));
      await out.write(`${groupHelp(word, commands)}\n`);
      return 0;
    }
    const split = splitWords(typed.slice(command.name.split(' ').length), command);
    if (split.texts['help']) {
      await out.write(`${commandHelp(command)}\n`);
      return 0;
    }
    return await runFound(command, split, started);
  } catch (error) {
    // Of a list they have read enough; a file that is cut is another error.
    if (isClosedPipe(error)) return 0;
    return await told(error, { err, isJson, command: found });
  }
}

async function runFound(
  command: Command,
  split: ReturnType<typeof splitWords>,
  { out, err, environment }: Started,
): Promise<number> {
  const given = readGiven(split, command);
  // Hundreds of settings: help and a mistyped word need none of them.
  const { readConfig, readableConfig } = await import('../../config.ts');
  const { config, problems } = command.withWrongSettings
    ? readableConfig(environment)
    : { config: readConfig(environment), problems: [] };
  const isGiven = (name: string) => split.texts[name] !== undefined;
  const output = new Output({
    ...{ out, err, monotonicMs },
    json: isGiven('json'),
    quiet: isGiven('quiet'),
  });
  const run = {
    ...{ config, environment, running: command, out: output },
    wrongSettings: problems,
  };
  return (await command.run(given as never, run)) ?? 0;
}

/** The group that the first word names, and the command where the second names one. */
async function findCommand(typed: readonly string[]) {
  const [word = '', verb = ''] = typed;
  const group = commandGroups.find((one) => one.word === word);
  if (!group) {
    const near = didYouMean(
      word,
      commandGroups.map((one) => one.word),
    );
    const shown = typed
      .slice(0, 2)
      .filter((one) => !one.startsWith('-'))
      .join(' ');
    throw new UsageError(`there is no command "${shown}"${near}`);
  }
  const commands = await group.load();
  const command = commands.find(({ name }) => name === word || name === `${word} ${verb}`);
  return { word, commands, command };
}

function missingVerb(
  word: string,
  commands: readonly Command[],
  typed: string | undefined,
): string {
  const verbs = commands.map(({ name }) => name.slice(word.length + 1));
  const there = `; there are ${verbs.join(', ')}`;
  if (typed === undefined || typed.startsWith('-')) return `${word} is a group of commands${there}`;
  const near = nearWord(typed, verbs);
  const meant = near === undefined ? there : `; did you mean ${word} ${near}?`;
  return `there is no command "${word} ${typed}"${meant}`;
}

async function helpFor(words: readonly string[]): Promise<string> {
  if (words.length === 0) return programHelp(commandGroups);
  const { word, commands, command } = await findCommand(words);
  return command ? commandHelp(command) : groupHelp(word, commands);
}

/** One line for people, with the usage where that was wrong; one JSON line for programs. */
async function told(
  error: unknown,
  { err, isJson, command }: { err: Stream; isJson: boolean; command: Command | undefined },
): Promise<number> {
  const exit = exitOf(error);
  const { code } = exitCodes[exit];
  const message = sentenceOf(error);
  if (isJson) {
    await err.write(`${JSON.stringify({ error: exit, code, message })}\n`);
    return code;
  }
  await err.write(`footlight: ${message}\n`);
  if (error instanceof UsageError)
    await err.write(
      command
        ? `usage: npx footlight ${usageOf(command)}\n`
        : 'All commands: npx footlight --help\n',
    );
  return code;
}
