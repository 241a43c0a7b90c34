// Every command by its first word; what a word leads to is loaded when it is typed.
import type { Command } from '../parts/command.ts';

/** A first word, and the commands that begin with it. */
export interface CommandGroup {
  word: string;
  sentence: string;
  load(): Promise<readonly Command[]>;
}

export const commandGroups: readonly CommandGroup[] = [
  {
    word: 'serve',
    sentence: 'Run the service.',
    load: async () => [(await import('../commands/serve-command.ts')).serveCommand],
  },
  {
    word: 'demo',
    sentence: 'Push the test clip to a demo channel.',
    load: async () => [(await import('../commands/publish-commands.ts')).demoCommand],
  },
  {
    word: 'publish',
    sentence: 'Push a file, as an encoder would.',
    load: async () => [(await import('../commands/publish-commands.ts')).publishCommand],
  },
  {
    word: 'doctor',
    sentence: 'Look whether this machine and these settings are fit for the service.',
    load: async () => [(await import('../doctor/doctor-command.ts')).doctorCommand],
  },
  {
    word: 'backup',
    sentence: 'Everything there is as one file, while the service runs; read one through.',
    load: async () => (await import('../commands/backup-commands.ts')).backupCommands,
  },
  {
    word: 'restore',
    sentence: 'Bring a backup back, into an empty place.',
    load: async () => [(await import('../commands/backup-commands.ts')).restoreCommand],
  },
  {
    word: 'console-link',
    sentence: 'A link that makes a person who signs in to the console.',
    load: async () => [(await import('../commands/person-commands.ts')).consoleLinkCommand],
  },
  {
    word: 'channel',
    sentence:
      'Channels: list, show, make, rename, page, who may watch, new key, delete, bring back.',
    load: async () => (await import('../commands/channel-commands.ts')).channelCommands,
  },
  {
    word: 'video',
    sentence: 'Videos: list, show, import a file, download, delete, bring back.',
    load: async () => (await import('../commands/video-commands.ts')).videoCommands,
  },
  {
    word: 'job',
    sentence: 'What is being made of recordings, and what failed.',
    load: async () => (await import('../commands/job-commands.ts')).jobCommands,
  },
  {
    word: 'storage',
    sentence: 'Where recordings lie; move them into S3 or back.',
    load: async () => (await import('../commands/storage-commands.ts')).storageCommands,
  },
  {
    word: 'audience',
    sentence: 'Who watched a channel: visitors, sessions, exports.',
    load: async () => (await import('../commands/audience-commands.ts')).audienceCommands,
  },
  {
    word: 'show',
    sentence: 'The shows of a channel and what each came to.',
    load: async () => (await import('../commands/show-commands.ts')).showCommands,
  },
  {
    word: 'chat',
    sentence: "A channel's chat: read, write as the host, moderate.",
    load: async () => (await import('../commands/chat-commands.ts')).chatCommands,
  },
  {
    word: 'viewer',
    sentence: 'Everything that is known of one viewer: export, erase.',
    load: async () => (await import('../commands/viewer-data-commands.ts')).viewerDataCommands,
  },
  {
    word: 'viewer-link',
    sentence: "The address of a channel's page that names its viewer.",
    load: async () => [(await import('../commands/viewer-link-command.ts')).viewerLinkCommand],
  },
  {
    word: 'event',
    sentence: 'What has happened in an account, and what happens: list, follow.',
    load: async () => (await import('../commands/event-commands.ts')).eventCommands,
  },
  {
    word: 'webhook',
    sentence: 'Who is told of events: make, list, test, the log, send again.',
    load: async () => (await import('../commands/webhook-commands.ts')).webhookCommands,
  },
  {
    word: 'import',
    sentence: 'Bring the history of another platform: rows of videos and watch records.',
    load: async () => (await import('../commands/import-commands.ts')).importCommands,
  },
  {
    word: 'account',
    sentence: 'Accounts: make, list, change, the secret of watch links.',
    load: async () => (await import('../commands/account-commands.ts')).accountCommands,
  },
  {
    word: 'manager',
    sentence: 'Channel managers within an account.',
    load: async () => (await import('../commands/manager-commands.ts')).managerCommands,
  },
  {
    word: 'person',
    sentence: 'People who sign in: list, invite, new password, sign out, remove.',
    load: async () => (await import('../commands/person-commands.ts')).personCommands,
  },
  {
    word: 'token',
    sentence: 'Tokens of the interface: make, list, end.',
    load: async () => (await import('../commands/token-commands.ts')).tokenCommands,
  },
  {
    word: 'network',
    sentence: "Networks that may have more than one network's share.",
    load: async () => (await import('../commands/network-commands.ts')).networkCommands,
  },
  {
    word: 'node',
    sentence: 'The nodes on a database: one of them drained, a new secret for their links.',
    load: async () => (await import('../commands/node-commands.ts')).nodeCommands,
  },
  {
    word: 'refusals',
    sentence: 'Who was refused in the last ten minutes, and why.',
    load: async () => [(await import('../commands/network-commands.ts')).refusalsCommand],
  },
  {
    word: 'audit',
    sentence: 'Who did what, when and from where.',
    load: async () => [(await import('../commands/audit-command.ts')).auditCommand],
  },
];

/** A group with what it leads to. */
export interface LoadedGroup extends CommandGroup {
  commands: readonly Command[];
}

/** All of it, for documents and tests. */
export async function loadedGroups(): Promise<LoadedGroup[]> {
  return await Promise.all(
    commandGroups.map(async (group) => ({ ...group, commands: await group.load() })),
  );
}
