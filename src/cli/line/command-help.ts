// What help says of the commands, and the page of documents made from the same declarations.
import type { Command } from '../parts/command.ts';
import { exitCodes } from '../parts/exit-codes.ts';
import { commonOptions, type Options, type Words } from '../parts/option.ts';
import type { CommandGroup, LoadedGroup } from './commands.ts';

const program = 'npx footlight';

/** Of `footlight --help`: the groups, a line each. */
export function programHelp(groups: readonly CommandGroup[]): string {
  const width = Math.max(...groups.map(({ word }) => word.length));
  return [
    `usage: ${program} COMMAND [OPTIONS]`,
    '',
    ...groups.map(({ word, sentence }) => `  ${word.padEnd(width)}  ${sentence}`),
    '',
    `What each does, with its options and an example: ${program} COMMAND --help`,
    `The version: ${program} --version`,
    'Settings are environment variables; docs/settings.md lists them.',
  ].join('\n');
}

/** Of `footlight channel --help`. */
export function groupHelp(word: string, commands: readonly Command[]): string {
  return [
    `usage: ${program} ${word} COMMAND [OPTIONS]`,
    '',
    ...commands.flatMap((one) => [`  ${usageOf(one)}`, `      ${one.sentence}`]),
    '',
    `Options and an example: ${program} ${word} COMMAND --help`,
  ].join('\n');
}

/** Of `footlight channel create --help`. */
export function commandHelp(command: Command): string {
  const { sentence, more, examples, words, options } = command;
  const rows = [...wordRows(words), ...optionRows({ ...options, ...commonOptions })];
  const width = Math.max(...rows.map(([name]) => name.length));
  return [
    `usage: ${program} ${usageOf(command)}`,
    '',
    sentence,
    ...(more === undefined ? [] : [more]),
    '',
    ...rows.map(([name, says]) => `  ${name.padEnd(width)}  ${says}`),
    '',
    examples.length === 1 ? 'Example:' : 'Examples:',
    ...examples.map((example) => `  ${program} ${example}`),
    '',
    'Exit codes:',
    ...Object.values(exitCodes).map(({ code, meaning }) => `  ${code}  ${meaning}`),
  ].join('\n');
}

/** `channel create --name TEXT [--account N]`. */
export function usageOf({ name, words, options }: Command): string {
  const shown = ([option, { value, isMany, isNeeded }]: [string, Options[string]]) => {
    const text = value === '' ? `--${option}` : `--${option} ${value}`;
    return isNeeded ? text : `[${text}]${isMany ? '…' : ''}`;
  };
  const all = Object.entries(options);
  return [
    name,
    ...Object.values(words).map(({ value }) => value),
    ...all.filter(([, { isNeeded }]) => isNeeded).map(shown),
    ...all.filter(([, { isNeeded }]) => !isNeeded).map(shown),
  ].join(' ');
}

type Row = [name: string, says: string];

function wordRows(words: Words): Row[] {
  return Object.values(words).map(({ value, sentence }) => [value, sentence]);
}

function optionRows(options: Options): Row[] {
  return Object.entries(options).map(([name, { value, sentence, usual, isMany }]) => {
    const short = name === 'help' ? '-h, ' : '';
    const more = [
      ...(usual === undefined || usual === '' ? [] : [`${usual} where it is not given`]),
      ...(isMany ? ['may be given again'] : []),
    ];
    const says =
      more.length === 0 ? sentence : `${sentence.replace(/\.$/, '')} (${more.join('; ')}).`;
    return [`${short}--${name}${value === '' ? '' : ` ${value}`}`, says];
  });
}

/** `docs/commands.md`; a test compares the two. */
export function commandsPage(groups: readonly LoadedGroup[]): string {
  const codes = Object.values(exitCodes).map(({ code, meaning }) => `| ${code} | ${meaning} |`);
  return `${[
    '# Commands',
    '',
    'Every command of `npx footlight`, with its options and exit codes. The page is made from the commands themselves; `npx footlight COMMAND --help` says the same.',
    '',
    'They work on the same data while the service runs, if they are given the same settings (`DATA_DIR`, `DATABASE_URL`, `TIME_ZONE`) and, for a relative `DATA_DIR`, run in the same folder. On a terminal lists are tables; in a pipe, and with `--json`, each row is a JSON object on a line of its own. A command that reads makes no folder, no database and no table.',
    '',
    'Every command has these options:',
    '',
    ...tableOf(optionRows(commonOptions)),
    '',
    'Exit codes:',
    '',
    '| code | meaning |',
    '|---|---|',
    ...codes,
    '',
    'With `--json` a problem is one line on standard error: `{"error":"not_found","code":3,"message":"No channel 99"}`.',
    ...groups.flatMap(groupSection),
  ].join('\n')}\n`;
}

/** A command that is called as its group stands below the group's heading: no two headings are the same. */
function groupSection({ word, sentence, commands }: LoadedGroup): string[] {
  const own = commands.find(({ name }) => name === word);
  const others = commands.filter((one) => one !== own);
  return [
    ...['', `## ${word}`],
    ...(others.length === 0 ? [] : ['', sentence]),
    ...(own ? ['', ...commandSection(own)] : []),
    ...others.flatMap((one) => ['', `### ${one.name}`, '', ...commandSection(one)]),
  ];
}

function commandSection(command: Command): string[] {
  const { sentence, more, words, options, examples } = command;
  const usage = usageOf(command);
  const rows = [...wordRows(words), ...optionRows(options)];
  const others = examples.filter((example) => example !== usage);
  return [
    ...[`    ${program} ${usage}`, ''],
    more === undefined ? sentence : `${sentence} ${more}`,
    ...(rows.length === 0 ? [] : ['', ...tableOf(rows)]),
    ...(others.length === 0 ? [] : ['', ...others.map((example) => `    ${program} ${example}`)]),
  ];
}

function tableOf(rows: readonly Row[]): string[] {
  const cell = (text: string) => text.replaceAll('|', '\\|');
  return [
    '| option | meaning |',
    '|---|---|',
    ...rows.map(([name, says]) => `| \`${cell(name)}\` | ${cell(says)} |`),
  ];
}
