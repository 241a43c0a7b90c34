import type { Command } from './command.ts';
export const importCommands: Command[] = [];
