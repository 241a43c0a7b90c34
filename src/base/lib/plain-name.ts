// Names that the database holds of files and folders: a path is made of one that can lead nowhere but into its folder.
import { join } from 'node:path';

const pattern = /^[0-9A-Za-z][0-9A-Za-z-]{0,59}$/;

/** Whether it is one name as this program gives them: letters, digits and hyphens, nothing that leads elsewhere. */
export function isPlainName(name: string): boolean {
  return pattern.test(name);
}

/** Of what has such a name in the folder; throws for any other, whoever wrote it into the database. */
export function pathIn(folder: string, name: string): string {
  if (!isPlainName(name))
    throw new Error(`${JSON.stringify(name.slice(0, 80))} is no name of a file of ours`);
  return join(folder, name);
}
