// The name of this service among those that share a database; kept in the data folder, so it outlives a crash.
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { randomText } from '../lib/secret.ts';

const nameBits = 96;

export async function readNodeName(dataDir: string): Promise<string> {
  const known = await knownNodeName(dataDir);
  if (known !== '') return known;
  const name = randomText(nameBits);
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  await writeName(dataDir, name);
  return name;
}

/** Empty where no service has run on the folder yet. */
export async function knownNodeName(dataDir: string): Promise<string> {
  return (await readFile(nameFile(dataDir), 'utf8').catch(() => '')).trim();
}

/** The folder takes the place of another, whose name it goes on under; what it answers takes that back. */
export async function keepNodeName(dataDir: string, name: string): Promise<() => Promise<void>> {
  const before = await knownNodeName(dataDir);
  if (name !== '' && name !== before) await writeName(dataDir, name);
  return async () => {
    if (before !== '') await writeName(dataDir, before);
    else await rm(nameFile(dataDir), { force: true });
  };
}

/** On the disk before any channel is live under it: a power cut must not make this service another. */
async function writeName(dataDir: string, name: string): Promise<void> {
  await writeFile(nameFile(dataDir), `${name}\n`, { mode: 0o600, flush: true });
}

function nameFile(dataDir: string): string {
  return join(dataDir, 'node-name');
}
