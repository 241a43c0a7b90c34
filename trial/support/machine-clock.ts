// A machine's clock that a trial sets as it likes; only the service that is started with it sees it.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

export class MachineClock {
  /** A service sees this clock when it is started with them. */
  readonly settings: Record<string, string>;
  private readonly wrongMs: Float64Array;

  constructor(folder: string) {
    const file = join(folder, 'clock');
    writeFileSync(file, new Float64Array(1));
    this.wrongMs = new Float64Array(Bun.mmap(file).buffer);
    const preload = join(import.meta.dir, 'bent-date.ts');
    this.settings = { BUN_OPTIONS: `--preload=${preload}`, BENT_CLOCK: file };
  }

  set(at: number): void {
    this.wrongMs[0] = at - Date.now();
  }

  jump(ms: number): void {
    this.wrongMs[0] = (this.wrongMs[0] ?? 0) + ms;
  }
}
