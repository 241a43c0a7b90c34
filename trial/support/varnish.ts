// Varnish as the recipe of packages/ has it, on loopback: one, or edges behind a shield; and what it counts.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../test/support/engines.ts';
import { freePort } from '../../test/support/free-port.ts';
import { ran } from './installed-package.ts';
import { ended, programOf, started, taken } from './proxies.ts';

export interface RunningVarnish {
  port: number;
  url: string;
  /** How often it asked for something itself, since its start. Of what came it counts late. */
  asked(): Promise<number>;
  stop(): Promise<void>;
}

export async function startVarnish(backendPort: number): Promise<RunningVarnish> {
  const folder = temporaryFolder();
  const port = await freePort();
  const file = join(folder, 'footlight.vcl');
  const recipe = readFileSync(
    join(import.meta.dir, '../../packages/varnish/footlight.vcl'),
    'utf8',
  );
  writeFileSync(file, recipe.replace('.port = "8080"', `.port = "${backendPort}"`));
  const child = started([
    ...[programOf('varnishd') ?? '', '-F', '-j', 'none', '-n', folder, '-f', file],
    ...['-a', `127.0.0.1:${port}`, '-T', 'none', '-s', 'malloc,64m'],
  ]);
  await taken(port, child);
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    asked: async () => {
      const name = 'MAIN.backend_req';
      const told = JSON.parse(await ran(['varnishstat', '-n', folder, '-j', '-f', name])) as {
        counters: Record<string, { value: number }>;
      };
      return told.counters[name]?.value ?? 0;
    },
    stop: () => ended(child, 'SIGTERM'),
  };
}
