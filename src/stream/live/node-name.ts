// The name of this service among those that share a database; kept in the data folder, so it outlives a crash.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { randomText } from '../../base/lib/secret.ts';

const nameBits = 96;

export async function readNodeName(dataDir: string): Promise<string> {
  const file = join(dataDir, 'node-name');
  const known = await readFile(file, 'utf8').catch(() => '');
  if (known.trim() !== '') return known.trim();
  const name = randomText(nameBits);
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  // On the disk before any channel is live under it: a power cut must not make this service another.
  await writeFile(file, `${name}\n`, { mode: 0o600, flush: true });
  return name;
}
