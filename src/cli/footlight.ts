// The command line: finds the command, runs it, says plainly what went wrong.
import { ApiError } from '../base/api/errors.ts';
import { NewerDatabase } from '../base/db/migrate.ts';
import { readConfig } from '../config.ts';
import { accountCommands } from './account-commands.ts';
import { auditCommands } from './audit-commands.ts';
import { channelCommands } from './channel-commands.ts';
import { chatCommands } from './chat-commands.ts';
import { type Command, UsageError } from './command.ts';
import { importCommands } from './import-commands.ts';
import { jobCommands } from './job-commands.ts';
import { managerCommands } from './manager-commands.ts';
import { networkCommands } from './network-commands.ts';
import { personCommands } from './person-commands.ts';
import { publishCommands } from './publish-commands.ts';
import { serveCommand } from './serve-command.ts';
import { tokenCommands } from './token-commands.ts';
import { videoCommands } from './video-commands.ts';
import { viewerCommands } from './viewer-commands.ts';
import { viewerDataCommands } from './viewer-data-commands.ts';
import { webhookCommands } from './webhook-commands.ts';

const commands: Command[] = [
  serveCommand,
  ...personCommands,
  ...tokenCommands,
  ...accountCommands,
  ...managerCommands,
  ...importCommands,
  ...channelCommands,
  ...videoCommands,
  ...publishCommands,
  ...jobCommands,
  ...viewerCommands,
  ...viewerDataCommands,
  ...chatCommands,
  ...networkCommands,
  ...webhookCommands,
  ...auditCommands,
];

process.exitCode = await main(process.argv.slice(2));

async function main(words: string[]): Promise<number> {
  // Everything this program makes is for its owner's eyes.
  process.umask(0o077);
  if (words.length === 0 || words[0] === 'help' || words.includes('--help')) {
    console.log(usage());
    return 0;
  }
  const command = commands.find(({ name }) =>
    name.split(' ').every((word, at) => words[at] === word),
  );
  try {
    if (!command) throw new UsageError(`there is no command "${words.slice(0, 2).join(' ')}"`);
    const rest = words.slice(command.name.split(' ').length);
    const config = { ...readConfig(process.env), running: command };
    return (await command.run(rest, config)) ?? 0;
  } catch (error) {
    console.error(`footlight: ${sentence(error)}`);
    if (!(error instanceof UsageError)) return 1;
    console.error(command ? `usage: npx footlight ${command.usage}` : usage());
    return 2;
  }
}

function usage(): string {
  return `usage: npx footlight COMMAND\n\n${commands
    .map(({ usage, sentence }) => `  ${usage}\n      ${sentence}`)
    .join('\n')}\n\nSettings are environment variables; the README lists them.`;
}

/** What a person is told: a sentence for what they can mend, the whole error for what is ours. */
function sentence(error: unknown): string {
  if (error instanceof UsageError || error instanceof NewerDatabase) return error.message;
  if (error instanceof ApiError) {
    const cause =
      error.cause === undefined ? '' : ` (${(error.cause as Error).message ?? error.cause})`;
    return [error.message + cause, ...error.fields.map(({ message }) => message)].join('; ');
  }
  const { code, message, syscall } = error as NodeJS.ErrnoException;
  if (code === 'EACCES' || code === 'EPERM') return `no permission: ${message}`;
  return error instanceof Error && (syscall !== undefined || error.constructor === Error)
    ? message
    : String((error as Error).stack ?? error);
}
